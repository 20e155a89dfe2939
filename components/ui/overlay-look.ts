/** What lies between the page and whatever is over it. */
export const overlayLook = 'fixed inset-0 z-40 bg-shade data-[state=open]:animate-appear'
