import { describe, expect, it } from 'vitest'
import { mediaTypeOf } from './media-type.ts'

const ANY = ['image/*', 'audio/*', 'video/*']
const hex = (digits: string): Buffer => Buffer.concat([Buffer.from(digits.replaceAll(' ', ''), 'hex'), Buffer.alloc(80)])
const text = (latin1: string): Buffer => Buffer.concat([Buffer.from(latin1, 'latin1'), Buffer.alloc(80)])

describe('a file is what its content is', () => {
  it.each<[string, Buffer]>([
    ['image/png', hex('89504e470d0a1a0a')],
    ['image/jpeg', hex('ffd8ffe0')],
    ['image/gif', text('GIF89a')],
    ['image/webp', text('RIFF\0\0\0\0WEBPVP8 ')],
    ['audio/wav', text('RIFF\0\0\0\0WAVEfmt ')],
    ['audio/wav', text('RF64\xff\xff\xff\xffWAVEds64')],
    ['audio/flac', text('fLaC\0')],
    ['audio/ogg', text('OggS\0')],
    ['audio/mp4', text('\0\0\0\x20ftypM4A ')],
    ['video/mp4', text('\0\0\0\x20ftypisom')],
    ['video/webm', Buffer.concat([hex('1a45dfa39f4286').subarray(0, 7), text('\x42\x82\x84webm')])],
    ['audio/mpeg', text('ID3\x04')],
    ['audio/mpeg', hex('fffb9064')],
    ['audio/mpeg', hex('fff38464')],
    ['audio/aac', hex('fff15080')],
    ['video/mpeg', hex('000001ba44')],
  ])('%s', (type, head) => expect(mediaTypeOf(head, ANY)).toBe(type))

  it.each<[string, Buffer]>([
    ['text', text('This is no picture.')],
    ['SVG', text('<svg xmlns="http://www.w3.org/2000/svg">')],
    ['UTF-16', hex('fffe48006500')],
    ['a WAVE that only says RIFF', text('RIFF\0\0\0\0AVI ')],
    ['Matroska', Buffer.concat([hex('1a45dfa39f4286').subarray(0, 7), text('\x42\x82\x88matroska')])],
    ['nothing', Buffer.alloc(0)],
    ['one byte', Buffer.from([0xff])],
  ])('not: %s', (_, head) => expect(mediaTypeOf(head, ANY)).toBeNull())
})

it('a container counts as sound where only sound is asked for', () => {
  const mp4 = text('\0\0\0\x20ftypisom')
  expect(mediaTypeOf(mp4, ['audio/*'])).toBe('audio/mp4')
  expect(mediaTypeOf(mp4, ['image/*'])).toBeNull()
  expect(mediaTypeOf(text('GIF89a'), ['image/png', 'image/jpeg'])).toBeNull()
})
