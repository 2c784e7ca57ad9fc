/** The text as HTML for the clipboard. Its code comes with the first copy: the page's start needs none of it. */
export const copiedHtml = async (text: string): Promise<string> => (await import('./clipboardHtml')).clipboardHtml(text)
