import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { joinImages, readImageFiles } from './prompt-images.ts'

const picture = (id: string, bytes = 3) => ({ id, name: id, url: 'x'.repeat((bytes * 4) / 3) })
const idsOf = ({ pictures, fault }: ReturnType<typeof joinImages>) => [pictures.map(({ id }) => id), fault]
const MIB = 1024 * 1024

describe('joinPictures', () => {
  it('puts pictures beside those that are there by then', () => {
    expect(idsOf(joinImages([picture('a')], [picture('b'), picture('c')]))).toEqual([['a', 'b', 'c'], null])
    expect(idsOf(joinImages([], [picture('b')]))).toEqual([['b'], null])
  })
  it('takes as many as one prompt takes, by number and by size', () => {
    const seven = Array.from('1234567', (id) => picture(id))
    expect(idsOf(joinImages(seven, [picture('8'), picture('9')]))).toEqual([[...'12345678'], 'many'])
    expect(idsOf(joinImages([picture('a', 6 * MIB)], [picture('b', 3 * MIB)]))).toEqual([['a'], 'size'])
  })
})

describe('readPictures', () => {
  beforeEach(() => {
    vi.stubGlobal(
      'FileReader',
      class {
        result = ''
        onload = () => {}
        readAsDataURL(file: File) {
          this.result = `data:${file.type};base64,`
          queueMicrotask(this.onload)
        }
      },
    )
  })
  afterEach(() => {
    vi.unstubAllGlobals()
  })
  const file = (name: string, type = 'image/png') => new File(['x'], name, { type })

  it('reads pictures up to the first file that is none', async () => {
    const read = await readImageFiles([file('a.png'), file('b.txt', 'text/plain'), file('c.png')])
    expect(read.pictures).toMatchObject([{ name: 'a.png', url: 'data:image/png;base64,' }])
    expect(read.fault).toBe('type')
    expect((await readImageFiles([file('a.png')])).fault).toBeNull()
  })
})
