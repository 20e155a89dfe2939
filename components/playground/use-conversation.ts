'use client'
import { useCallback } from 'react'
import { newUuid } from '../new-uuid.ts'
import { type ChatDraft, NO_CHAT, NO_PROMPT } from './chat-draft.ts'
import { type Abilities, abilitiesOf, readParams } from './chat-params.ts'
import type { Exchange, Prompt } from './chat-types.ts'
import type { ModelSelection } from './select-model.ts'
import { type Lane, useChat } from './use-chat.ts'
import { useDraft } from './use-draft.ts'

/** A setting is offered if either model supports it. It is then not sent to a model that does not. */
const combineAbilities = (abilities: Abilities[]): Abilities => ({
  // An image is part of the conversation, so every model has to accept it.
  pictures: abilities.every(({ pictures }) => pictures),
  tools: abilities.some(({ tools }) => tools),
  json: abilities.some(({ json }) => json),
  effort: abilities.some(({ effort }) => effort),
  images: abilities.some(({ images }) => images),
  search: abilities.some(({ search }) => search),
})

/** How the selected models are called, and which parameters are invalid. */
function useLanes({ group, model, other }: ModelSelection, { system, params }: ChatDraft) {
  const models = other === null ? [model] : [model, other]
  const lanes = models.map((each) => {
    const able = abilitiesOf(each)
    const { fields, faults } = readParams(params, able, each.maxOutput)
    return { lane: { groupId: group.id, model: each.id, system, fields, pictures: able.pictures } satisfies Lane, faults }
  })
  const faults: (typeof lanes)[number]['faults'] = Object.assign({}, ...lanes.map(({ faults }) => faults))
  return {
    lanes: lanes.map(({ lane }) => lane),
    able: combineAbilities(models.map(abilitiesOf)),
    faults,
    faulty: Object.keys(faults).length > 0,
    maxTokens: Math.min(...models.map(({ maxOutput }) => maxOutput)),
  }
}

/** The conversation on the page and all actions on it. */
export function useConversation(choice: ModelSelection) {
  const [draft, change] = useDraft<ChatDraft>('chat', NO_CHAT)
  const saveExchanges = useCallback((exchanges: Exchange[]) => change({ exchanges }), [change])
  const chat = useChat(draft.exchanges, saveExchanges)
  const { exchanges, apply, ask, running } = chat
  const laneState = useLanes(choice, draft)
  const { lanes, faulty } = laneState
  const blocked = running || faulty
  const askAll = (exchangeId: string) => {
    for (const [at, lane] of lanes.entries()) void ask(exchangeId, at, lane)
  }
  return {
    ...chat,
    ...laneState,
    draft,
    change,
    /** Changes the prompt that is being written. */
    write: (update: (before: Prompt) => Prompt) => change(({ prompt }) => ({ prompt: update(prompt) })),
    send: () => {
      const { prompt } = draft
      const hasUnsupportedImages = !laneState.able.pictures && prompt.pictures.length > 0
      if (blocked || hasUnsupportedImages || (prompt.text.trim() === '' && prompt.pictures.length === 0)) return
      const exchange = { id: newUuid(), prompt, lanes: [] }
      apply({ do: 'add', exchange })
      change({ prompt: NO_PROMPT })
      askAll(exchange.id)
    },
    retry: (exchangeId: string) => {
      if (blocked) return
      apply({ do: 'retry', exchangeId })
      askAll(exchangeId)
    },
    /** Sends the results that the reader entered for the tools back to the model. Null if the exchange cannot continue. */
    continueFrom: (exchange: Exchange) =>
      blocked || exchange.id !== exchanges.at(-1)?.id
        ? null
        : (at: number, answerId: string, results: Map<string, string>) => {
            for (const [callId, result] of results) apply({ do: 'result', answerId, callId, result })
            const lane = lanes[at] ?? lanes[0]
            if (lane) void ask(exchange.id, at, lane)
          },
  }
}

export type Conversation = ReturnType<typeof useConversation>
