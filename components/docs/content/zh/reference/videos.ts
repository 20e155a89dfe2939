import type { Content } from '../../blocks.ts'

/** 视频。 */
export const videos: Content['reference'] = {
  'Create a video task': '创建视频任务',
  'The task is returned at once, with the status `pending`. Poll it until it is `completed` or `failed`: every 5 to 10 seconds for videos of 5 and 10 seconds, every 15 to 30 seconds for longer ones, as Retry-After says. The cost is held until then, and is charged only if the video is completed.':
    '立即返回任务，状态为 `pending`。请定期查询，直到状态为 `completed` 或 `failed`：5 秒和 10 秒的视频每 5 至 10 秒查询一次，更长的每 15 至 30 秒查询一次，以 Retry-After 为准。在此之前费用处于冻结状态，视频完成后才扣费。',
  'What the video shows.': '视频的内容。',
  'Length in seconds. The default is 5.': '时长（秒），默认为 5。',
  'If false, the connection stays open until the task is finished, up to a limit. Otherwise the task is returned at once.':
    '为 false 时，连接保持到任务结束，但有时限。否则立即返回任务。',
  'A task makes one video.': '每个任务只生成一个视频。',
  'Length in seconds.': '时长（秒）。',
  'When the task and its video stop being available.': '任务及其视频的到期时间。',
  'The URL of the video, once the status is `completed`.': '视频的地址，状态为 `completed` 后提供。',
  'Why there is no video, once the status is `failed`.': '没有视频的原因，状态为 `failed` 后提供。',
  'What the task cost, once it is finished.': '任务的费用，任务结束后提供。',
  'Retrieve a video task': '查询视频任务',
  'While the task is unfinished, Retry-After says when to poll again. A task is available for 24 hours.':
    '任务未结束时，Retry-After 说明何时再次查询。任务保留 24 小时。',
  'Cancel a video task': '取消视频任务',
  'The task becomes `failed`, its vendor is told to stop, and nothing is charged. A task that has already failed is returned unchanged.':
    '任务变为 `failed`，供应商会被告知停止，不扣费。已经失败的任务原样返回。',
}
