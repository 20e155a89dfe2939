/** What is told before a verb is asked, and by whichever of them. */
export const signIn = {
  'This can only be done from the console itself. Open it at its own address.':
    '此操作只能在控制台内进行，请从控制台的地址打开。',
  'There is nothing at this address.': '此地址没有内容。',
  'Somebody signed in to another account in another tab. Reload this page to continue with that account.':
    '另一个标签页登录了其他账户。请刷新此页面，以该账户继续。',
  'You are signed out. Sign in again.': '您已退出登录，请重新登录。',
  'Your role does not allow this.': '您的角色不允许此操作。',
  'Nothing can be changed during maintenance. Try again later.': '维护期间不能更改任何内容，请稍后再试。',
  'The request is larger than {most} KiB. Send less at once.': '请求超过 {most} KiB，请减少一次发送的内容。',
  'Send uncompressed JSON with "Content-Type: application/json".': '请以“Content-Type: application/json”发送未压缩的 JSON。',
  'The request is not valid JSON.': '请求不是有效的 JSON。',
  'Something went wrong on our side. Try again in a moment.': '网关出错了，请稍后再试。',
  'Too many attempts. Wait a minute and try again.': '尝试次数过多，请过一分钟再试。',
  'Too many attempts. Wait {minutes} minutes and try again.': '尝试次数过多，请过 {minutes} 分钟再试。',
  'There is no such account.': '没有这个账户。',
  'There is no such request.': '没有这个请求。',
  'There is no such key.': '没有这个密钥。',
  'There is no such model.': '没有这个模型。',
  'There is no such endpoint.': '没有这个端点。',
  'This position in the list is invalid. Start again from the newest entries.': '列表中的位置无效，请从最新的记录重新开始。',
} as const
