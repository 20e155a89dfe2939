import type { Content } from '../../blocks.ts'
import { audio } from './audio.ts'
import { chat } from './chat.ts'
import { images } from './images.ts'
import { responses } from './responses.ts'
import { shared } from './shared.ts'
import { text } from './text.ts'
import { videos } from './videos.ts'

/** API 参考的中文，按英文原文查找。 */
export const reference: Content['reference'] = { ...shared, ...chat, ...audio, ...images, ...responses, ...text, ...videos }
