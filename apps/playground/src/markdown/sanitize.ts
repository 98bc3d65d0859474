import DOMPurify from 'dompurify'

const tags = [
  ...['p', 'h3', 'ul', 'ol', 'li', 'blockquote', 'pre', 'code', 'em', 'strong', 'del', 'br', 'hr', 'span'],
  ...['a', 'img', 'table', 'thead', 'tbody', 'tr', 'th', 'td'],
]
const attributes = ['href', 'src', 'alt', 'class', 'start', 'align']

/** The only way from text to elements: everything that is not allowed is removed. */
export function sanitize(html: string): DocumentFragment {
  return DOMPurify.sanitize(html, {
    ALLOWED_TAGS: tags,
    ALLOWED_ATTR: attributes,
    ALLOWED_URI_REGEXP: /^(?:https?:\/\/|mailto:|data:image\/(?:png|jpeg|gif|webp);base64,)/i,
    // Otherwise the values of these attributes would have to match the pattern of addresses.
    ADD_URI_SAFE_ATTR: ['start', 'align'],
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
    RETURN_DOM_FRAGMENT: true,
  })
}
