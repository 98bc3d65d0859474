/** The page may load only files of this server. Swagger UI has its icons in its style sheet. */
export const docsPolicy: string = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/**
 * The page that shows `/openapi.json`.
 * @param files the path of its files, relative to the address of the page
 */
export function docsPage(name: string, files: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHTML(name)}: API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${files}swagger-ui.css">
</head>
<body>
<div id="swagger-ui"></div>
<script src="${files}swagger-ui-bundle.js"></script>
<script src="${files}start.js"></script>
</body>
</html>
`
}

/** Starts Swagger UI. By default it would send the specification to a validator on the internet. */
export const startScript: string = `SwaggerUIBundle({
  url: new URL('../openapi.json', document.currentScript.src).href,
  dom_id: '#swagger-ui',
  deepLinking: true,
  validatorUrl: null,
})
`

function escapeHTML(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)
}
