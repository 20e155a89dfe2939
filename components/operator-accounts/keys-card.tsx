'use client'
import { useTranslations } from 'next-intl'
import { useState } from 'react'
import { type AccountKey, emptyResult, type OperatorAccount } from '#lib/contracts/operator-accounts'
import { sendJson } from '../fetch-json.ts'
import { accountApi } from '../operator/paths.ts'
import { useMayChange } from '../operator/use-may-change.ts'
import { toast } from '../toast.ts'
import { Button } from '../ui/button.tsx'
import { Card, CardHeader } from '../ui/card.tsx'
import { Confirm } from '../ui/confirm.tsx'
import { Table, Td, Th } from '../ui/table.tsx'
import { useErrorText } from '../use-error-text.ts'
import { useFormat } from '../use-format.ts'
import { StateTag } from './state-tag.tsx'
import { useRefusals } from './use-refusals.ts'

interface KeyLineProps {
  row: AccountKey
  /** Null for readers who may not revoke it. */
  onRevoke: (() => void) | null
}

function KeyLine({ row, onRevoke }: KeyLineProps) {
  const t = useTranslations('operatorAccounts')
  const format = useFormat()
  return (
    <tr data-key={row.id}>
      <Td className="w-full max-w-0 lg:w-auto lg:max-w-60">
        <span title={row.name} className="block truncate font-medium">
          <bdi>{row.name}</bdi>
        </span>
        <span className="mono block truncate text-second">{row.hint}</span>
      </Td>
      <Td className="max-w-48 truncate text-second max-md:hidden">{row.groupName}</Td>
      <Td className="whitespace-nowrap text-second max-md:hidden">
        {row.lastUsedAt === null ? t('neverUsed') : format.ago(row.lastUsedAt)}
      </Td>
      <Td className="w-0 whitespace-nowrap">
        <StateTag state={row.state} />
      </Td>
      {onRevoke !== null && (
        <Td className="w-0 text-right">
          {row.state !== 'revoked' && (
            <Button size="small" aria-label={t('revokeNamed', { name: row.name })} onClick={onRevoke}>
              {t('revoke')}
            </Button>
          )}
        </Td>
      )}
    </tr>
  )
}

/** The keys of an account, with their names and hints. Their secrets are not stored anywhere. */
export function KeysCard({ account, onDone }: { account: OperatorAccount; onDone: () => void }) {
  const t = useTranslations('operatorAccounts')
  const errorText = useErrorText()
  const { isOwnersOnly } = useRefusals(account)
  const mayRevoke = useMayChange() && !isOwnersOnly
  const [toRevoke, setToRevoke] = useState<AccountKey | null>(null)
  const revoke = async ({ id, name }: AccountKey) => {
    try {
      await sendJson('POST', accountApi(account.id, '/revoke-key'), emptyResult, { keyId: id })
      toast.success(t('revokeDone', { name }))
    } catch (failure) {
      toast.error(t('notDone', { name }), { description: errorText(failure) })
    }
    onDone()
  }
  return (
    <Card>
      <CardHeader title={t('keys')} />
      {account.keys.length === 0 ? (
        <p className="mt-1 text-second">{t('noKeys')}</p>
      ) : (
        <Table className="mt-1" frameLabel={t('keys')} frameClassName="max-h-96 overflow-y-auto">
          <thead>
            <tr>
              <Th>{t('name')}</Th>
              <Th className="max-md:hidden">{t('group')}</Th>
              <Th className="max-md:hidden">{t('used')}</Th>
              <Th>{t('state')}</Th>
              {mayRevoke && (
                <Th>
                  <span className="sr-only">{t('actions')}</span>
                </Th>
              )}
            </tr>
          </thead>
          <tbody>
            {account.keys.map((row) => (
              <KeyLine key={row.id} row={row} onRevoke={mayRevoke ? () => setToRevoke(row) : null} />
            ))}
          </tbody>
        </Table>
      )}
      <Confirm
        open={toRevoke !== null}
        onOpenChange={(open) => !open && setToRevoke(null)}
        title={t('revokeTitle', { name: toRevoke?.name ?? '' })}
        description={t('revokeText')}
        action={t('revoke')}
        onConfirm={() => toRevoke !== null && void revoke(toRevoke)}
      />
    </Card>
  )
}
