'use client'
import { Wrench } from 'lucide-react'
import { useTranslations } from 'next-intl'
import { useState } from 'react'
import { formatJson, type Json } from '../history/json.ts'
import { Button } from '../ui/button.tsx'
import { Code } from '../ui/code.tsx'
import { Field } from '../ui/field.tsx'
import { Textarea } from '../ui/input.tsx'
import type { Answer } from './chat-types.ts'

/** Formats arguments for reading. Text that is not JSON, such as that of a call that was cut off, stays as it is. */
function formatArguments(source: string): string {
  try {
    return formatJson(JSON.parse(source) as Json)
  } catch {
    return source
  }
}

interface ToolCallsProps {
  answer: Answer
  /** Called when all results are there, so that the model can continue. Without it, the results are only shown. */
  onResults?: ((results: Map<string, string>) => void) | undefined
}

/** The tool calls of a model, with fields for the results, which the reader types in. */
export function ToolCalls({ answer, onResults }: ToolCallsProps) {
  const t = useTranslations('playground.tools')
  const [typed, setTyped] = useState<Record<string, string>>({})
  const waiting = answer.calls.filter(({ result }) => result === null)
  const ready = waiting.every(({ id }) => (typed[id] ?? '').trim() !== '')
  return (
    <form
      method="post"
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault()
        if (ready) onResults?.(new Map(waiting.map(({ id }) => [id, typed[id] ?? ''])))
      }}
    >
      {answer.calls.map((call) => (
        <div key={call.id} className="flex min-w-0 flex-col gap-2 rounded-md border bg-page p-3">
          <p className="flex items-center gap-1.5 text-second text-sm">
            <Wrench aria-hidden className="size-3.5" />
            {t('call')}
            <span className="mono text-ink [overflow-wrap:anywhere]">{call.name}</span>
          </p>
          <Code code={formatArguments(call.arguments)} className="max-h-60 rounded-md border bg-panel" />
          {call.result !== null ? (
            <>
              <p className="text-second text-sm">{t('result')}</p>
              <Code code={call.result} className="max-h-60 rounded-md border bg-panel" />
            </>
          ) : (
            onResults !== undefined && (
              <Field label={t('result')} hint={t('resultHint')}>
                {(control) => (
                  <Textarea
                    {...control}
                    value={typed[call.id] ?? ''}
                    placeholder='{"temperature": 21}'
                    onChange={(event) => setTyped({ ...typed, [call.id]: event.target.value })}
                    className="font-mono"
                  />
                )}
              </Field>
            )
          )}
        </div>
      ))}
      {waiting.length > 0 && onResults !== undefined && (
        <Button type="submit" tone="primary" disabled={!ready} className="self-start">
          {t('send')}
        </Button>
      )}
    </form>
  )
}
