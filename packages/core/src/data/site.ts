/** The address of the documentation: `site` of site.json, and empty until the packages are published. Generated. */
export const site: string = ''
