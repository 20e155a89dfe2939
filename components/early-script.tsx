import { keepEarly } from './early.ts'

/** The first script on every page. */
export const EarlyScript = ({ nonce }: { nonce: string | undefined }) => (
  <script
    nonce={nonce}
    // biome-ignore lint/security/noDangerouslySetInnerHtml: our own code, which has to run before any of our files has loaded
    dangerouslySetInnerHTML={{ __html: `(${keepEarly})()` }}
    // The browser hides the nonce, so it would look like a mismatch.
    suppressHydrationWarning
  />
)
