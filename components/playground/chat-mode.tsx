'use client'
import dynamic from 'next/dynamic'
import { useTranslations } from 'next-intl'
import { useRef } from 'react'
import { joinFacts } from '../join-facts.ts'
import { notLoaded } from '../not-loaded.tsx'
import { ChatEmpty } from './chat-empty.tsx'
import { ChatSettings } from './chat-settings.tsx'
import { Composer } from './composer.tsx'
import { MissingMediaNote } from './missing-media-note.tsx'
import { ModelSelect } from './model-select.tsx'
import type { ModelSelection } from './select-model.ts'
import { type Conversation, useConversation } from './use-conversation.ts'
import { useSendKeys } from './use-send-keys.ts'
import { useStickToBottom } from './use-stick-to-bottom.ts'
import { Workbench } from './workbench.tsx'

// Loaded with the first message.
const Exchanges = dynamic(() => import('./exchanges.tsx').then((module) => module.Exchanges).catch(notLoaded), { ssr: false })

function Settings({ choice, talk }: { choice: ModelSelection; talk: Conversation }) {
  const { draft, change, able, faults, maxTokens } = talk
  return (
    <>
      <ModelSelect choice={choice} compares />
      <ChatSettings
        system={draft.system}
        onSystem={(system) => change({ system })}
        params={draft.params}
        onParams={(changes) => change(({ params }) => ({ params: { ...params, ...changes } }))}
        able={able}
        faults={faults}
        maxTokens={maxTokens}
      />
    </>
  )
}

/** Chat mode: a conversation with one model, or with two side by side. */
export function ChatMode({ choice }: { choice: ModelSelection }) {
  const t = useTranslations('playground')
  const conversation = useConversation(choice)
  const { draft, change, write, exchanges, send, stop, running, faulty, able, lanes } = conversation
  const input = useRef<HTMLTextAreaElement>(null)
  const end = useStickToBottom(exchanges, running)
  useSendKeys({ onSend: send, onStop: running ? stop : null })
  const count = exchanges.length
  const failed = exchanges.at(-1)?.lanes.some((lane) => lane.at(-1)?.state === 'failed') ?? false
  return (
    <Workbench summary={joinFacts(lanes.map(({ model }) => model))} settings={<Settings choice={choice} talk={conversation} />}>
      <MissingMediaNote notes={draft.missing} onDismiss={() => change({ missing: [] })} />
      {count > 0 ? (
        <Exchanges talk={conversation} />
      ) : (
        <ChatEmpty
          onChoose={(text) => {
            write((before) => ({ ...before, text }))
            input.current?.focus()
          }}
        />
      )}
      <div ref={end} className="scroll-mb-40" />
      <Composer
        prompt={draft.prompt}
        onChange={write}
        onSend={send}
        onStop={stop}
        running={running}
        faulty={faulty}
        pictures={able.pictures}
        input={input}
      />
      <p aria-live="polite" className="sr-only">
        {running ? t('running') : failed ? t('failed') : count > 0 ? t('finished') : ''}
      </p>
    </Workbench>
  )
}
