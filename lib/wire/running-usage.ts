import { tokensIn, tokensOut, type Usage, withSideOf } from '../domain/usage.ts'

/**
 * The usage that a vendor reports in a stream: once at its end, twice, or as a running count with every chunk. The last one
 * counts. Servers in front of Anthropic report the input at the beginning and the output at the end, and zero for the other: that
 * of the last report which has it counts.
 */
export class RunningUsage {
  usage: Usage | null = null
  #sizeAtUsage = 0
  #imagesAtUsage = 0

  /** Takes a usage that arrived after `size` characters and some images. Null means that there is none, and changes nothing. */
  record(usage: Usage | null, size: number, images = 0): void {
    if (usage === null) return
    this.usage = this.usage === null ? usage : withMissingSide(usage, this.usage)
    this.#sizeAtUsage = size
    this.#imagesAtUsage = images
  }

  /** How many of `size` characters have arrived since then. */
  charsSince(size: number): number {
    return size - this.#sizeAtUsage
  }

  /** How many of `images` have arrived since then. */
  imagesSince(images: number): number {
    return images - this.#imagesAtUsage
  }
}

function withMissingSide(usage: Usage, earlier: Usage): Usage {
  if (tokensIn(usage) === 0n) return withSideOf(usage, earlier, 'input')
  return tokensOut(usage) === 0n ? withSideOf(usage, earlier, 'output') : usage
}
