// The fonts of the system: no file to load.
export { default } from 'vitepress/theme-without-fonts'
