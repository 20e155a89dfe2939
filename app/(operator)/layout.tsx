export { default } from '../(console)/layout.tsx'
