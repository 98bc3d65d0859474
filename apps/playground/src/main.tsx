import { render } from 'preact'
import { App } from './app.tsx'

// The page shows dots before, because only the script knows the reader's language.
const root = document.getElementById('page')
if (root) render(<App />, root)
