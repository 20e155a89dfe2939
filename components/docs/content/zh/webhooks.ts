import { heading, list, type Page, table, text } from '../blocks.ts'

export const webhooks: Page = {
  slug: 'webhooks',
  title: 'Webhook',
  lead: '账户发生的事情会通知您的服务器。',
  blocks: [
    text(
      '在[设置](/settings/webhooks)中添加 https 地址并选择事件。请求遵循 Standard Webhooks 规范，多数语言都可用名为 `standardwebhooks` 的库验证。',
    ),
    heading('request', '一个请求'),
    text('每个请求都是 POST，内容为 `{"type", "timestamp", "data"}`。`data` 包含编号，金额为十进制字符串。'),
    table(
      '事件',
      ['类型', '`data`', '何时'],
      ['`top_up.succeeded`', '`entry_id`, `payment_id`, `amount`, `debt_paid`, `currency`', '充值已入账。'],
      ['`top_up.failed`', '`payment_id`, `amount`, `currency`', '付款失败。'],
      ['`balance.low`', '`balance`, `threshold`', '余额跌破您设置的数额，每次跌破通知一次。'],
      ['`video.completed`', '`task_id`, `request_id`, `model`, `seconds`, `cost`', '视频已完成。'],
      [
        '`spending.alert`',
        '`alert_id`, `period`, `since`, `amount`, `spent`, `key_name`',
        '一日（`day`）或一月（`month`）的消费达到您设置的数额；针对整个账户时 `key_name` 为 null。',
      ],
      ['`webhook.test`', '`message`, `endpoint_id`', '您发送了测试。'],
    ),
    heading('verify', '确认请求来自这里'),
    list(
      '`webhook-id` 是事件的编号。无论发送多少次都不变：请记下见过的编号，每个只处理一次。',
      '`webhook-timestamp` 是以秒计的时间。请拒绝五分钟以前的请求。',
      '`webhook-signature` 包含 `v1,` 以及 `id.timestamp.body` 的 HMAC-SHA256 的 base 64。密钥是 `whsec_` 之后的部分，按 base 64 读取。更换密钥后的 24 小时内有两个签名，以空格分隔。',
    ),
    heading('retry', '何时重试'),
    list(
      '请在 10 秒内返回 200 至 299。其他都算失败，重定向也是。',
      '失败后依次在 5 秒、1、5、30 分钟、2 和 5 小时后重试，再隔 8 小时重试两次。',
      '连续三天没有成功接收的端点会被停用，返回 410 的立即停用。您会收到邮件。',
    ),
  ],
}
