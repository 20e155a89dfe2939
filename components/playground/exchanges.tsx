'use client'
import { useTranslations } from 'next-intl'
import { Money } from '../money.tsx'
import { Button } from '../ui/button.tsx'
import type { Exchange } from './chat-types.ts'
import { ExchangeView } from './exchange-view.tsx'
import type { Conversation } from './use-conversation.ts'

const spentIn = (exchanges: Exchange[]): bigint =>
  exchanges.flatMap(({ lanes }) => lanes.flat()).reduce((sum, { figures }) => sum + BigInt(figures.costNano ?? 0), 0n)

/** The conversation so far and its cost. */
export function Exchanges({ talk }: { talk: Conversation }) {
  const t = useTranslations('playground')
  const { exchanges, apply, running, retry, continueFrom } = talk
  const spent = spentIn(exchanges)
  return (
    <>
      <div className="flex items-center justify-between gap-3">
        <p className="text-second text-sm">
          {t.rich('spentHere', { amount: () => <Money nano={spent} style="exact" className="text-ink" /> })}
        </p>
        <Button tone="ghost" size="small" disabled={running} onClick={() => apply({ do: 'load', exchanges: [] })}>
          {t('clear')}
        </Button>
      </div>
      {exchanges.map((exchange) => (
        <ExchangeView
          key={exchange.id}
          exchange={exchange}
          editable={!running}
          onPrompt={(text) => apply({ do: 'prompt', exchangeId: exchange.id, text })}
          onRetry={() => retry(exchange.id)}
          onDelete={() => apply({ do: 'delete', exchangeId: exchange.id })}
          onAnswer={(answerId, text) => apply({ do: 'text', answerId, text })}
          onResults={continueFrom(exchange)}
        />
      ))}
    </>
  )
}
