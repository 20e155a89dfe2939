import { describe, expect, it } from 'vitest'
import { extensionOf, servedTypeOf } from './served-types.ts'

describe('types', () => {
  it.each([
    ['image/png', 'png', 'image/png', true],
    ['IMAGE/JPEG; q=1', 'jpg', 'image/jpeg', true],
    ['audio/x-wav', 'wav', 'audio/wav', true],
    ['audio/ogg; codecs=opus', 'ogg', 'audio/ogg', true],
    ['video/mp4', 'mp4', 'video/mp4', true],
    ['application/json', 'json', 'application/json', false],
    ['text/plain', 'txt', 'text/plain; charset=utf-8', false],
    ['image/svg+xml', 'bin', 'application/octet-stream', false],
    ['text/html', 'bin', 'application/octet-stream', false],
    ['application/xhtml+xml', 'bin', 'application/octet-stream', false],
    ['application/javascript', 'bin', 'application/octet-stream', false],
    ['toString', 'bin', 'application/octet-stream', false],
    ['', 'bin', 'application/octet-stream', false],
  ])('%s is kept as .%s', (type, extension, served, inline) => {
    expect(extensionOf(type)).toBe(extension)
    expect(servedTypeOf(extension)).toEqual({ type: served, inline })
  })

  it.each(['html', 'svg', 'js', 'exe', 'constructor', '__proto__', ''])('.%s is a download', (extension) => {
    expect(servedTypeOf(extension)).toEqual({ type: 'application/octet-stream', inline: false })
  })
})
