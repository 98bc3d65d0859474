// The fonts of the system: no file to load. What follows the theme overrides it.
import Theme from 'vitepress/theme-without-fonts'
import './style.css'

export default Theme
