'use client'
import { Children, isValidElement, type ReactNode } from 'react'
import ReactMarkdown, { type Components } from 'react-markdown'
import remarkGfm from 'remark-gfm'
import { Code } from './code.tsx'
import { ExternalLink, isHttpUrl } from './external-link.tsx'

/** The text of a code block and its language. */
function codeOf(children: ReactNode): { code: string; language: string } {
  if (!isValidElement<{ className?: string; children?: ReactNode }>(children))
    return { code: String(children ?? ''), language: '' }
  const { className = '', children: text } = children.props
  return { code: String(text ?? '').replace(/\n$/, ''), language: /language-(\S+)/.exec(className)?.[1] ?? '' }
}

const Title = ({ children }: { children?: ReactNode }) => <h4 className="font-semibold">{children}</h4>

/** Every element that Markdown can produce and that needs more than the surrounding text styles. */
const components: Components = {
  h1: ({ children }) => <Title>{children}</Title>,
  h2: ({ children }) => <Title>{children}</Title>,
  h3: ({ children }) => <Title>{children}</Title>,
  h4: ({ children }) => <Title>{children}</Title>,
  h5: ({ children }) => <Title>{children}</Title>,
  h6: ({ children }) => <Title>{children}</Title>,
  p: ({ children }) => <p className="whitespace-pre-wrap">{children}</p>,
  ul: ({ children }) => <ul className="flex list-disc flex-col gap-1 pl-5">{children}</ul>,
  ol: ({ children, start }) => (
    <ol start={start} className="flex list-decimal flex-col gap-1 pl-5">
      {children}
    </ol>
  ),
  blockquote: ({ children }) => <blockquote className="flex flex-col gap-2 border-l-2 pl-3 text-second">{children}</blockquote>,
  hr: () => <hr className="border-line" />,
  // Links must not be nested: an image in a link leaves only its text.
  a: ({ href, children }) => {
    const textChildren = Children.map(children, (child) =>
      isValidElement<{ src?: string; alt?: string }>(child) && child.props.src !== undefined ? (child.props.alt ?? '') : child,
    )
    return isHttpUrl(href) ? <ExternalLink href={href}>{textChildren}</ExternalLink> : children
  },
  // Reading must not fetch anything from elsewhere, so an image becomes a link to it.
  img: ({ src, alt }) => {
    const imageUrl = typeof src === 'string' ? src : undefined
    return isHttpUrl(imageUrl) ? <ExternalLink href={imageUrl}>{alt || imageUrl}</ExternalLink> : (alt ?? null)
  },
  input: ({ checked }) => <span aria-hidden>{checked ? '☑ ' : '☐ '}</span>,
  pre: ({ children }) => {
    const { code, language } = codeOf(children)
    return (
      <div className="min-w-0 overflow-hidden rounded-md border bg-page">
        {language !== '' && <p className="mono border-line-soft border-b px-2.5 py-1 text-second">{language}</p>}
        <Code code={code} coloured className="max-h-80 px-2.5 py-2" />
      </div>
    )
  },
  code: ({ children }) => <code className="mono rounded-sm bg-hover px-1 py-px [overflow-wrap:anywhere]">{children}</code>,
  table: ({ children }) => (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling element has to be reachable with the keyboard
    <div tabIndex={0} className="overflow-x-auto">
      <table className="border-collapse text-left text-sm">{children}</table>
    </div>
  ),
  th: ({ children, style }) => (
    <th style={style} className="border px-2 py-1 font-medium">
      {children}
    </th>
  ),
  td: ({ children, style }) => (
    <td style={style} className="border px-2 py-1">
      {children}
    </td>
  ),
}

/**
 * Renders Markdown. HTML in it is ignored, links may only lead to http and https, and images become links. The component is
 * large: load it with `lazy`, and show the plain text in the meantime.
 */
export function Markdown({ text }: { text: string }) {
  return (
    <div className="flex min-w-0 flex-col gap-2 [overflow-wrap:anywhere]">
      <ReactMarkdown remarkPlugins={[remarkGfm]} components={components} urlTransform={(url) => (isHttpUrl(url) ? url : '')}>
        {text}
      </ReactMarkdown>
    </div>
  )
}
