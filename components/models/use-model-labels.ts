import { useTranslations } from 'next-intl'
import { UNITS } from './rates.ts'

const MODALITIES = ['chat', 'completion', 'embedding', 'image', 'speech', 'transcription', 'video'] as const

/** Capabilities with a translation under `models.abilities`. */
const CAPABILITIES = [
  'tools',
  'vision',
  'files',
  'audio',
  'json',
  'structured_output',
  'hidden-reasoning',
  'streaming',
  'completions',
  'edits',
  'base64-only',
  'speech-events',
] as const

/** The reader's words for names in catalogs. Names without a translation are shown as they are. */
export function useModelLabels() {
  const t = useTranslations('models')
  const findKnown = <T extends string>(all: readonly T[], name: string): T | undefined => all.find((each) => each === name)
  const unit = (name: string): string => {
    if (name.startsWith('image:'))
      return t('imageOf', { kind: name.slice('image:'.length).replaceAll(':', ' ').replaceAll('x', '×') })
    const found = findKnown(UNITS, name)
    return found === undefined ? name : t(`units.${found}`)
  }
  return {
    unit,
    modality: (name: string): string => {
      const found = findKnown(MODALITIES, name)
      return found === undefined ? name : t(`modalities.${found}`)
    },
    /** The unit of a price: `/ M tokens`, `/ second`. */
    per: (name: string): string => {
      if (name === 'character') return t('per.character')
      if (name === 'audio_second' || name === 'video_second') return t('per.second')
      if (name === 'request') return t('per.request')
      if (name === 'web_search') return t('per.search')
      return name === 'image' || name.startsWith('image:') ? t('per.image') : t('per.tokens')
    },
    /** A short name of a capability. One without a translation is shown by its own name. */
    capability: (name: string): string => {
      const found = findKnown(CAPABILITIES, name)
      return found === undefined ? name.replaceAll('_', ' ').replaceAll('-', ' ') : t(`abilities.${found}`)
    },
  }
}
