import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, it } from 'vitest'
import { Markdown } from './markdown.tsx'

const draw = (text: string) => renderToStaticMarkup(<Markdown text={text} />)

describe('markdown', () => {
  it('draws lists, tables, tasks and code', () => {
    const html = draw('# Title\n\n- one\n- [x] two\n\n| a | b |\n|---|--:|\n| 1 | 2 |\n\n```ts\nconst a = 1\n```\n\n`inline`')
    for (const part of ['<h4', '<ul', '<table', '☑', 'const', 'ts</p>', '<code class="mono']) expect(html).toContain(part)
    expect(html).not.toContain('<input')
  })

  it('takes no HTML', () => {
    const html = draw('<script>alert(1)</script>\n\n<img src=x onerror=alert(1)> <b>bold</b> <iframe src="https://e.example">')
    expect(html).not.toMatch(/<(script|img|b|iframe)[\s>]/)
  })

  it.each([
    'javascript:alert(1)',
    'data:text/html,x',
    'vbscript:x',
    '//e.example/x',
    '/files/x',
    'JaVaScRiPt:alert(1)',
    'file:///etc/passwd',
  ])('makes no link of %s', (url) => {
    expect(draw(`[text](${url})`)).not.toContain('<a')
    expect(draw(`![text](${url})`)).not.toMatch(/<(a|img)/)
    expect(draw(`<${url}>`)).not.toMatch(/href="(?!https?:)/)
  })

  it('links to the web without telling where from', () => {
    expect(draw('[text](https://e.example/a)')).toContain('href="https://e.example/a" target="_blank" rel="noopener noreferrer"')
  })

  it('fetches no image', () => {
    const html = draw(
      '![a cat](https://e.example/cat.png) and ![](https://e.example/other.png)\n\n[![x](https://e.example/y.png)][1]\n\n[1]: https://e.example',
    )
    expect(html).not.toContain('<img')
    expect(html).toContain('>a cat</a>')
    expect(html).toContain('>https://e.example/other.png</a>')
  })
})
