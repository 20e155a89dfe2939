'use client'
import { AudioLines, FileText, Image as ImageSign, Video, Wrench } from 'lucide-react'
import { useTranslations } from 'next-intl'
import { lazy, Suspense, useState } from 'react'
import type { RequestDetail } from '#lib/contracts/requests'
import { cn } from '../cn.ts'
import { enumerate } from '../enumerate.ts'
import { Code } from '../ui/code.tsx'
import { CodeBlock } from '../ui/code-block.tsx'
import { Segmented } from '../ui/segmented.tsx'
import { CitedPages } from './cited-pages-list.tsx'
import { formatJson } from './json.ts'
import { type Media, type Part, readAnswer, readRequest, type Turn } from './read-messages.ts'
import { splitCode } from './split-code.ts'

const mediaIcons: Record<Media, typeof ImageSign> = { image: ImageSign, audio: AudioLines, video: Video, file: FileText }
const roles = ['user', 'assistant', 'system', 'developer', 'tool', 'suffix'] as const
const MAX_COLLAPSED_LENGTH = 1_600

const NamedCode = ({ code, name }: { code: string; name?: string }) => (
  <div className="min-w-0 overflow-hidden rounded-md border bg-page">
    {name !== undefined && name !== '' && <p className="mono border-line-soft border-b px-2.5 py-1 text-second">{name}</p>}
    <Code code={code} className="max-h-80 px-2.5 py-2" />
  </div>
)

/** Text as written: its own line breaks, code blocks in a code font, and no other markup. */
const PlainText = ({ text }: { text: string }) => (
  <>
    {enumerate(splitCode(text)).map(({ place, value: piece }) =>
      piece.kind === 'code' ? (
        <NamedCode key={place} code={piece.text} name={piece.language} />
      ) : (
        <p key={place} className="whitespace-pre-wrap [overflow-wrap:anywhere]">
          {piece.text}
        </p>
      ),
    )}
  </>
)

// Loaded with the first message. Until then, and if it cannot be loaded, the text is shown as written.
const Markdown = lazy(async () => ({
  default: await import('../ui/markdown.tsx').then((module) => module.Markdown).catch(() => PlainText),
}))

/** A text, rendered as Markdown. A long one is truncated until the reader expands it. */
function MessageText({ text, soft = false }: { text: string; soft?: boolean }) {
  const t = useTranslations('history')
  const [isExpanded, setWhole] = useState(text.length <= MAX_COLLAPSED_LENGTH)
  const shown = isExpanded ? text : text.slice(0, MAX_COLLAPSED_LENGTH)
  return (
    <div className={cn('flex min-w-0 flex-col gap-2', soft && 'text-second')}>
      <Suspense fallback={<PlainText text={shown} />}>
        <Markdown text={shown} />
      </Suspense>
      {!isExpanded && (
        <button
          type="button"
          onClick={() => setWhole(true)}
          className="self-start rounded-sm text-accent text-sm underline underline-offset-4"
        >
          {t('showAll')}
        </button>
      )}
    </div>
  )
}

interface StoredMediaProps {
  /** On the page's own origin. */
  src: string
  note: string
  onExpired: () => void
}

function StoredImage({ src, note, onExpired }: StoredMediaProps) {
  const t = useTranslations('requests.panel')
  return (
    <a href={src} target="_blank" rel="noreferrer" className="block w-fit max-w-full rounded-md">
      {/* biome-ignore lint/performance/noImgElement: a signed address that expires cannot be optimized */}
      <img
        src={src}
        alt={note === '' ? t('image') : t('imageOf', { note })}
        onError={onExpired}
        className="max-h-72 max-w-full rounded-md border object-contain"
      />
    </a>
  )
}

function StoredVideo({ src, note, onExpired }: StoredMediaProps) {
  const t = useTranslations('requests.panel')
  return (
    // biome-ignore lint/a11y/useMediaCaption: the page cannot know whether anything is spoken in it
    <video
      controls
      playsInline
      preload="metadata"
      src={src}
      aria-label={note === '' ? t('video') : t('videoOf', { note })}
      onError={onExpired}
      className="max-h-72 w-fit max-w-full rounded-md border bg-page"
    />
  )
}

/** Media that can be shown while the gateway still keeps it. */
const storedMediaViews: { readonly [media in Media]?: typeof StoredImage } = { image: StoredImage, video: StoredVideo }

function MediaNote({ part }: { part: Extract<Part, { kind: 'media' }> }) {
  const t = useTranslations('history.media')
  const [isExpired, setGone] = useState(false)
  const Icon = mediaIcons[part.media]
  const View = storedMediaViews[part.media]
  if (View && part.kept && Date.now() < part.kept.untilMs && !isExpired) {
    const { pathname, search } = new URL(part.kept.url)
    return <View src={pathname + search} note={part.note} onExpired={() => setGone(true)} />
  }
  return (
    <p className="flex items-start gap-2 rounded-md border border-dashed px-2.5 py-2 text-second">
      <Icon aria-hidden className="mt-0.5 size-4 shrink-0" />
      <span className="min-w-0">
        {t(part.media)}
        {part.note !== '' && <span className="mono block [overflow-wrap:anywhere]">{part.note}</span>}
      </span>
    </p>
  )
}

function CallView({ part }: { part: Extract<Part, { kind: 'call' }> }) {
  const t = useTranslations('history')
  return (
    <div className="flex flex-col gap-1.5">
      <p className="flex items-center gap-1.5 text-second text-sm">
        <Wrench aria-hidden className="size-3.5" />
        {t('call')}
      </p>
      <NamedCode code={part.text} name={part.name} />
    </div>
  )
}

function Reasoning({ text }: { text: string }) {
  const t = useTranslations('history')
  return (
    <details className="rounded-md border px-2.5 py-1.5">
      <summary className="text-second text-sm">{t('reasoning')}</summary>
      <div className="mt-1.5 flex flex-col gap-2">
        <MessageText text={text} soft />
      </div>
    </details>
  )
}

function PartView({ part }: { part: Part }) {
  const t = useTranslations('history')
  switch (part.kind) {
    case 'media':
      return <MediaNote part={part} />
    case 'call':
      return <CallView part={part} />
    case 'json':
      return <NamedCode code={part.text} />
    case 'pages':
      return <CitedPages pages={part.pages} title={t('citedPages')} />
    case 'vectors':
      return (
        <p className="text-second">
          {part.dimensions === null
            ? t('vectors', { count: part.count })
            : t('vectorsOf', { count: part.count, dimensions: part.dimensions })}
        </p>
      )
    case 'tokens':
      return <p className="text-second">{t('tokens', { count: part.count })}</p>
    case 'more':
      return <p className="text-second">{t('moreTexts', { count: part.count })}</p>
    case 'reasoning':
      return <Reasoning text={part.text} />
    default:
      return <MessageText text={part.text} soft={part.kind === 'refusal'} />
  }
}

function TurnView({ turn }: { turn: Turn }) {
  const t = useTranslations('history.roles')
  const role = roles.find((name) => name === turn.role)
  return (
    <li className="flex min-w-0 flex-col gap-2 rounded-lg border px-3 py-2.5">
      <p className="text-second text-xs">{role === undefined ? turn.role : t(role)}</p>
      {enumerate(turn.parts).map(({ place, value }) => (
        <PartView key={place} part={value} />
      ))}
    </li>
  )
}

type View = 'messages' | 'json'

/** The messages, as readable text or as the JSON that was sent and received. */
export function Messages({ history, deleted }: { history: RequestDetail['history']; deleted: boolean }) {
  const t = useTranslations('history')
  const tPanel = useTranslations('requests.panel')
  const [view, setView] = useState<View>('messages')
  if (history === null)
    return (
      <p className="rounded-lg border border-dashed px-3 py-3 text-second">{deleted ? tPanel('deletedNote') : t('noHistory')}</p>
    )
  const turns = [...readRequest(history.request), ...(history.answer === null ? [] : readAnswer(history.answer))]
  return (
    <section aria-label={t('views.messages')} className="flex min-w-0 flex-col gap-3">
      <Segmented
        label={t('view')}
        value={view}
        onChange={setView}
        options={(['messages', 'json'] as const).map((value) => ({ value, label: t(`views.${value}`) }))}
        className="self-start"
      />
      {view === 'json' ? (
        <>
          <CodeBlock code={formatJson(history.request)} label={t('requestBody')} />
          {history.answer !== null && <CodeBlock code={formatJson(history.answer)} label={t('answerBody')} />}
        </>
      ) : (
        <ol className="flex min-w-0 flex-col gap-3">
          {enumerate(turns).map(({ place, value }) => (
            <TurnView key={place} turn={value} />
          ))}
        </ol>
      )}
    </section>
  )
}
