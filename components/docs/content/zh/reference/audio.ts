import type { Content } from '../../blocks.ts'

/** 语音合成、语音转写和语音翻译。 */
export const audio: Content['reference'] = {
  'Create speech': '生成语音',
  'Turns a text into audio. The response is the audio itself, which starts before all of it is generated, or events that carry it. The default format is MP3.':
    '将文本转换为音频。响应是边生成边返回的音频本身，或承载音频的事件。默认格式为 MP3。',
  'The text to speak.': '要朗读的文本。',
  'One of the voices of the model.': '模型的音色之一。',
  'The audio format. The default is `mp3`.': '音频格式，默认为 `mp3`。',
  '1 is normal speed, 2 is twice as fast.': '1 为正常语速，2 为两倍语速。',
  'How the text should be spoken, in words, if the model supports it.': '用文字说明如何朗读，需模型支持。',
  'The audio itself as it is generated, or events that carry it.': '边生成边返回音频本身，或返回承载音频的事件。',
  'Audio, in base64.': '音频，base64 编码。',
  'Create a transcription': '将语音转写为文本',
  'A model that is billed by the second is billed for the length of the audio, measured from the file itself. Every model can be streamed. If a model does not stream, the stream has a single delta.':
    '按秒计费的模型按音频的时长计费，时长由文件本身测得。所有模型都可以流式返回；模型不支持流式时，流中只有一个增量。',
  'One of: audio/*. Up to 100 MiB.': '类型为 audio/*，最大 100 MiB。',
  'The language that is spoken, as a code such as `en`. It improves the result if you know it.':
    '音频的语言代码，例如 `en`。已知时填写，可改善结果。',
  'Words that help with recognition: names, spellings, what was said before.': '有助于识别的文字：名称、拼写、此前说过的内容。',
  'JSON, plain text or subtitles. The default is `json`.': 'JSON、纯文本或字幕，默认为 `json`。',
  'How freely the model guesses at words that it did not hear well.': '对没有听清的词语，模型猜测的自由程度。',
  'What `verbose_json` gives timestamps for.': '`verbose_json` 为哪些内容给出时间戳。',
  'Whether to stream the text as server-sent events.': '是否以服务器发送事件（SSE）流式返回文本。',
  'Names of speakers who may be heard, if the model distinguishes speakers.': '可能出现的说话人的名字，需模型能区分说话人。',
  'A short audio sample of each speaker, as a data: URL, in the same order.':
    '每位说话人的一小段音频，为 data: 地址，顺序与名字相同。',
  'Languages that may be spoken, if the model accepts several.': '可能使用的语言，需模型支持多种语言。',
  'Words that are likely to occur, if the model accepts them.': '可能出现的词语，需模型支持。',
  'The usage, in the unit in which the model is billed, and its cost.': '用量及其费用，用量以模型的计费单位计。',
  'The usage and its cost.': '用量及其费用。',
  'For a model that is billed by the second. Its token counts are 0.': '用于按秒计费的模型，此时 token 数为 0。',
  'Translate speech into English text': '将语音翻译为英文文本',
  'Billed as transcriptions are. Not every model that transcribes also translates: OpenAI’s `whisper-1` and multilingual Whisper models do, but Whisper’s turbo models were not trained for it.':
    '与转写的计费方式相同。能转写的模型不一定能翻译：OpenAI 的 `whisper-1` 和多语言的 Whisper 模型可以，Whisper 的 turbo 模型则未经翻译训练。',
  'English words that help with recognition: names, spellings, what was said before.':
    '有助于识别的英文文字：名称、拼写、此前说过的内容。',
  'Translations come whole.': '译文一次性返回，不支持流式。',
}
