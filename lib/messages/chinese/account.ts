/** What is told of signing in, of the reader's settings, and of closing an account. */
export const account = {
  'The email address or the password is wrong.': '邮箱或密码错误。',
  'This took too long. Sign in again.': '时间过长，请重新登录。',
  'This session has ended. Sign in again.': '此会话已结束，请重新登录。',
  'Too many people are signing in right now. Try again in a few seconds.': '现在登录的人太多，请过几秒再试。',
  'New accounts are opened again when the maintenance is over. Try again later.': '维护结束后才能重新开户，请稍后再试。',
  'Sign-up is closed here. Ask whoever runs this gateway for an account.': '此处未开放注册，请向本网关的管理者申请账户。',
  'This link is not good any more: it was used, is too old, or a newer one was sent. Ask for another.':
    '此链接已失效：可能已使用、已过期，或已发送更新的链接。请重新获取。',
  'This address is confirmed already.': '此邮箱已经确认过。',
  'This is your address already.': '这已经是您的邮箱。',
  'Give your password.': '请填写密码。',
  'This is not your password.': '密码不正确。',
  'Confirm your email address first.': '请先确认邮箱。',
  'Give the code of your authenticator app too.': '请同时填写验证器应用的验证码。',
  'Give a code of your app, or a recovery code.': '请填写应用的验证码，或一个恢复码。',
  'This code is wrong or was used before. Wait for the next one.': '验证码错误或已使用过，请等待下一个。',
  'This is not the code of now. Check the clock of your phone.': '这不是当前的验证码，请检查手机的时间。',
  'Start again: this is on already, or was started in another window.':
    '请重新开始：第二步验证已经开启，或已在其他窗口开始设置。',
  'The second step is on already.': '第二步验证已经开启。',
  'The second step is off.': '第二步验证未开启。',
  'Set a password first: nothing else could sign in to this account.': '请先设置密码，否则将无法登录此账户。',
  'There is no such session. It may have ended already.': '没有这个会话，可能已经结束。',
  'Requests or videos are still running. Wait until they have ended, and try again.': '还有请求或视频在进行，请等待结束后再试。',
  'A payment is under way. Wait until it is credited or has failed, and try again.': '有付款正在进行，请等待入账或失败后再试。',
  'This account owes money. Pay what is owed on the billing page first.': '此账户有欠款，请先在账单页面付清。',
  'The balance is another one by now. Look at it again and confirm it.': '余额已有变化，请重新查看并确认。',
  'Whoever runs this gateway cannot close their account here.': '本网关的管理者不能在此关闭自己的账户。',
  'This is not the address of this account.': '这不是此账户的邮箱。',
  'Sign out and in again first, so that nobody else does this for you, and try again.':
    '请先退出并重新登录，以确认是您本人操作，然后再试。',
} as const
