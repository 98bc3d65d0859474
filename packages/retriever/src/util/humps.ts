/** Between the parts of a name such as `getUserName`, `parseHTML5Doc` or `XMLHttpRequest`. */
export const betweenHumps: RegExp =
  /(?<=[\p{Ll}\p{N}])(?=\p{Lu}\p{Ll})|(?<=\p{Lu})(?=\p{Lu}\p{Ll}{2})|(?<=\p{Ll})(?=\p{Lu})/u
