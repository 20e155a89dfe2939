import { builtConsole } from './built-console.ts'

await builtConsole()
