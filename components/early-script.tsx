import { keepEarly } from './early.ts'

/** The first script of every page. */
export const EarlyScript = ({ nonce }: { nonce: string | undefined }) => (
  <script
    nonce={nonce}
    // biome-ignore lint/security/noDangerouslySetInnerHtml: it is our own, and has to run before any file of ours is here
    dangerouslySetInnerHTML={{ __html: `(${keepEarly})()` }}
    // The nonce is hidden in the browser, and would look like another one.
    suppressHydrationWarning
  />
)
