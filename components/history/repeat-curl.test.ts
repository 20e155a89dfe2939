import { expect, test } from 'vitest'
import { repeatCurl } from './repeat-curl.ts'

test('a form names its file, and its texts mean nothing to curl', () => {
  const body = {
    model: 'm',
    file: 'my "talk".mp3 [audio/mpeg, 4096 bytes, sha256 ab]',
    prompt: "@it's",
    timestamp_granularities: ['word', 'segment'],
    temperature: 0.2,
  }
  expect(repeatCurl('http://x/v1/audio/transcriptions', body)).toBe(
    [
      'curl http://x/v1/audio/transcriptions \\',
      '  -H "Authorization: Bearer $TOLLGATE_KEY" \\',
      `  -F 'file=@"my \\"talk\\".mp3"' \\`,
      "  --form-string 'model=m' \\",
      "  --form-string 'prompt=@it'\\''s' \\",
      "  --form-string 'timestamp_granularities[]=word' \\",
      "  --form-string 'timestamp_granularities[]=segment' \\",
      "  --form-string 'temperature=0.2'",
    ].join('\n'),
  )
})

test.each([
  [{ input: 'Hi' }, "-o 'speech.mp3'"],
  [{ input: 'Hi', response_format: 'wav' }, "-o 'speech.wav'"],
])('speech %j goes into a file', (body, end) => {
  expect(repeatCurl('http://x/v1/audio/speech', body).endsWith(end)).toBe(true)
})

test('events, and everything else, are shown', () => {
  expect(repeatCurl('http://x/v1/audio/speech', { input: 'Hi', stream_format: 'sse' })).not.toContain('-o ')
  expect(repeatCurl('http://x/v1/embeddings', { input: 'Hi' })).not.toContain('-o ')
})

test('an edit names its images, as a list where there are several', () => {
  const image = ['a.png [image/png, 9 bytes, sha256 ab]', 'b.png [image/png, 9 bytes, sha256 ab]']
  const several = repeatCurl('http://x/v1/images/edits', { prompt: 'Add', image, mask: 'm.png [image/png, 9 bytes, sha256 ab]' })
  expect(several).toContain(`-F 'image[]=@"a.png"' \\\n  -F 'image[]=@"b.png"' \\\n  -F 'mask=@"m.png"'`)
  expect(repeatCurl('http://x/v1/images/edits', { image: image.slice(0, 1) })).toContain(`-F 'image=@"a.png"'`)
})
