/** The zeros of scripts with digits of their own, in the order of their code points. Each is followed by its other digits. */
const zeros = [...'٠۰०০੦૦୦௦౦೦൦๐໐༠၀០᠐'].map((zero) => zero.charCodeAt(0))
const digit = new RegExp(`[${zeros.map((zero) => String.fromCharCode(zero, 45, zero + 9)).join('')}]`, 'g')

/** Digits of other scripts, such as Arabic, Hindi and Thai, as `0` to `9`. */
export function plainDigits(text: string): string {
  return text.replace(digit, (found) => {
    const code = found.charCodeAt(0)
    return String(code - (zeros.findLast((zero) => zero <= code) ?? code))
  })
}
