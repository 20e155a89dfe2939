// Runs in the browser before any page's code. To find out whether it may evaluate strings, zod tries it, which the pages'
// policy blocks and reports. This tells zod not to try. It is set under the name that zod reads when it loads, because
// importing zod would add it to pages that do not need it.
Object.assign(globalThis, { __zod_globalConfig: { jitless: true } })
