/** What is told of the history of requests and of usage. */
export const requests = {
  'The end must be after the start.': '结束时间必须晚于开始时间。',
  'Choose at most {most} models.': '最多可选择 {most} 个模型。',
  'Too many of your requests are waiting. Try again in a few seconds.': '您排队等待的请求过多，请过几秒再试。',
  'Other searches are in progress. Wait until one finishes.': '其他搜索正在进行，请等待其中一个结束。',
  'There is no such video.': '没有这个视频。',
  'This video is finished and charged, so it cannot be cancelled.': '此视频已完成并已扣费，因此无法取消。',
  'There is no such view.': '没有这个视图。',
  'These filters cannot be saved. Open the view, correct it, and save it again.':
    '这些筛选条件无法保存。请打开视图，修正后重新保存。',
  '{count} views are already saved. Delete one first.': '已保存 {count} 个视图，请先删除一个。',
  'Other exports of this account are in progress. Wait until one finishes.': '此账户的其他导出正在进行，请等待其中一个完成。',
  'Enter the first day as well, for example 2026-11-01.': '请同时填写第一天，例如 2026-11-01。',
  'Enter the last day as well, for example 2026-11-30.': '请同时填写最后一天，例如 2026-11-30。',
  'The last day is before the first. Choose a later one.': '最后一天早于第一天，请选择更晚的日期。',
  'That is more than {most} days. Choose a later first day.': '超过了 {most} 天，请选择更晚的第一天。',
  'This day has not begun yet in UTC. Choose an earlier one.': '按 UTC 这一天尚未开始，请选择更早的日期。',
  'Choose either a range or the days "from" and "to", not both.': '请选择时间段或起止日期，不能同时选择。',
} as const
