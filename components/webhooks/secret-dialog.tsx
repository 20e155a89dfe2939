'use client'
import { TriangleAlert } from 'lucide-react'
import { useTranslations } from 'next-intl'
import type { WebhookSecret } from '#lib/contracts/webhooks'
import { Button } from '../ui/button.tsx'
import { CodeBlock } from '../ui/code-block.tsx'
import { CopyButton } from '../ui/copy-button.tsx'
import { Dialog, DialogBody, DialogFoot } from '../ui/dialog.tsx'

const EXAMPLE = `import { Webhook } from 'standardwebhooks'

// The body as it came: its bytes are what is signed.
const event = new Webhook(process.env.TOLLGATE_WEBHOOK_SECRET)
  .verify(await request.text(), Object.fromEntries(request.headers))`

interface Made {
  secret: string
  webhook: Pick<WebhookSecret['webhook'], 'oldSecretUntil'>
}

/** Shows the secret of an endpoint, the only time it can be shown. */
export function SecretDialog({ made, onClose }: { made: Made; onClose: () => void }) {
  const t = useTranslations('webhooks')
  return (
    <Dialog open sticky onOpenChange={onClose} title={t('secretTitle')}>
      <DialogBody>
        <p className="flex gap-2.5 rounded-md bg-warn-tint px-3 py-2.5">
          <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-warn" />
          {made.webhook.oldSecretUntil === null ? t('onlyNow') : t('onlyNowOverlap')}
        </p>
        <div className="flex flex-wrap items-center gap-2">
          <code
            data-testid="webhook-secret"
            className="min-w-0 flex-1 basis-64 select-all break-all rounded-md border border-third bg-page px-3 py-2 font-mono"
          >
            {made.secret}
          </code>
          <CopyButton text={made.secret} label={t('secret')} tone="primary">
            {t('copy')}
          </CopyButton>
        </div>
        <CodeBlock code={EXAMPLE} label={t('verify')} />
      </DialogBody>
      <DialogFoot>
        <Button onClick={onClose}>{t('stored')}</Button>
      </DialogFoot>
    </Dialog>
  )
}
