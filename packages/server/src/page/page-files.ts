/** A file of the page, as `scripts/build-page.mjs` writes it into `assets/page.js`. */
export type PageFile = {
  /** The content type. */
  type: string
  /** A hash of the content. */
  hash: string
  /** The content by gzip and base64. */
  gzip: string
}

/** The files of the page by their names: `index.html`, and those that it refers to as `assets/<name>`. */
export type PageFiles = Readonly<Record<string, PageFile>>

/**
 * The export of `assets/page.js`. The compiler reads this declaration, because that file exists only after the page is
 * built.
 */
export declare const files: PageFiles
