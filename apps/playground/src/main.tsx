import { render } from 'preact'
import { App } from './shell/app.tsx'

// Until then the page shows dots: the script alone knows the reader's language.
const root = document.getElementById('page')
if (root) render(<App />, root)
