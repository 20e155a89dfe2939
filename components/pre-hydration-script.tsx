import { keepPreHydrationForms } from './keep-pre-hydration-forms.ts'

/** The first script on every page. */
export const PreHydrationScript = ({ nonce }: { nonce: string | undefined }) => (
  <script
    nonce={nonce}
    // biome-ignore lint/security/noDangerouslySetInnerHtml: our own code, which has to run before any of our files has loaded
    dangerouslySetInnerHTML={{ __html: `(${keepPreHydrationForms})()` }}
    // The browser hides the nonce, so it would look like a mismatch.
    suppressHydrationWarning
  />
)
