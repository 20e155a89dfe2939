import { heading, list, type Page, table, text } from '../blocks.ts'

export const webhooks: Page = {
  slug: 'webhooks',
  title: 'Webhook',
  lead: '在您自己的服务器上接收账户的事件。',
  blocks: [
    text(
      '在[设置](/settings/webhooks)中添加 https 地址并选择事件。请求遵循 Standard Webhooks 规范，可用 `standardwebhooks` 库验证，多数语言都有。',
    ),
    heading('request', '请求'),
    text('每个事件都是一个 POST 请求，内容为 `{"type", "timestamp", "data"}`。`data` 包含 ID，金额为十进制字符串。'),
    table(
      '事件',
      ['类型', '`data`', '情形'],
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
    heading('verify', '验证来源'),
    list(
      '`webhook-id` 是事件的 ID，无论发送多少次都不变。请保存收到过的 ID，每个事件只处理一次。',
      '`webhook-timestamp` 是以秒计的时间。请拒绝早于五分钟前的请求。',
      '`webhook-signature` 包含 `v1,` 以及 `id.timestamp.body` 的 HMAC-SHA256 的 base64。HMAC 的密钥是签名密钥中 `whsec_` 之后的部分，按 base64 解码。更换签名密钥后的 24 小时内有两个签名，以空格分隔。',
    ),
    heading('retry', '何时重试'),
    list(
      '请在 10 秒内返回 200 至 299 的状态码。其他都算失败，包括重定向。',
      '投递失败后，依次在 5 秒、1 分钟、5 分钟、30 分钟、2 小时和 5 小时后重试，再每隔 8 小时重试两次。',
      '连续三天没有成功接收的端点会被停用，返回 410 的立即停用。您会收到邮件。',
    ),
  ],
}
