// Runs in the browser before any page's code. zod asks whether it may evaluate strings by doing so, which the pages'
// policy refuses and reports; it is told not to. Written here, under the name that zod reads when it loads, because
// importing zod would put it into pages that have no use for it.
Object.assign(globalThis, { __zod_globalConfig: { jitless: true } })
