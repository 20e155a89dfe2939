import type { JsonObject } from '../json.ts'
import type { MadeImage } from './images.ts'
import { ItemBuilder, type ItemPosition } from './item-builders.ts'

/** An image that a model made. It arrives whole, so it begins and ends at once. */
export class ImageBuilder extends ItemBuilder {
  readonly #image: MadeImage

  constructor(place: ItemPosition, image: MadeImage) {
    super(place)
    this.#image = image
    this.value = { id: place.id, type: 'image_generation_call', status: 'in_progress', result: null }
  }

  generatedText(): string {
    return ''
  }

  protected sendPartEnds(): void {
    for (const state of ['in_progress', 'generating', 'completed'])
      this.sendItemEvent(`response.image_generation_call.${state}`, {})
  }

  protected build(): JsonObject {
    const { base64, format } = this.#image
    return { ...this.value, status: 'completed', result: base64, ...(format === null ? {} : { output_format: format }) }
  }
}

/** A search of the web. It is known when it has been made. */
export class SearchBuilder extends ItemBuilder {
  readonly #failed: boolean

  constructor(place: ItemPosition, { query, failed }: { query: string; failed: boolean }) {
    super(place)
    this.#failed = failed
    const action = { type: 'search', query, queries: [query] }
    this.value = { id: place.id, type: 'web_search_call', status: 'in_progress', action }
  }

  generatedText(): string {
    return ''
  }

  protected sendPartEnds(): void {
    for (const state of ['in_progress', 'searching', 'completed']) this.sendItemEvent(`response.web_search_call.${state}`, {})
  }

  protected build(): JsonObject {
    return { ...this.value, status: this.#failed ? 'failed' : 'completed' }
  }
}
