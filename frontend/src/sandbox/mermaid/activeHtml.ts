// HTML in a diagram's labels that could load or run something. The frame's policy stops it, and would report each attempt; so it is shown
// as the text that it is.
const ACTIVE =
  'a|applet|area|audio|base|body|button|canvas|dialog|details|embed|fieldset|form|foreignobject|frame|frameset|iframe|image|img|input|link|' +
  'map|marquee|math|meta|noscript|object|option|picture|script|select|source|style|svg|template|textarea|title|track|use|video'
/** <<button>> is a stereotype of the language. */
const ACTIVE_TAG = new RegExp(`<(?=/?(?:${ACTIVE})(?:[\\s/>]|$))(?!(?<=<<)[a-z]+>>)`, 'gi')
/** Attributes of harmless elements, as in <b onclick=…>; <<interface>> and arrows such as <|-- have none. */
const ATTRIBUTES = /<(b|big|br|center|code|div|em|font|hr|i|li|mark|ol|p|pre|q|s|small|span|strong|sub|sup|table|td|th|tr|u|ul)(?:\s+|\/)[^<>]*>/gi

/** Any other element with attributes, which may have handlers. */
const OTHERS = /<(?=[a-z][^\s/>]*[\s/])/gi

/** The code with ‹ for the < of active elements, because Mermaid decodes character codes before it parses HTML, and without attributes. */
export const withoutActiveHtml = (code: string): string => code.replace(ACTIVE_TAG, '‹').replace(ATTRIBUTES, '<$1>').replace(OTHERS, '‹')
