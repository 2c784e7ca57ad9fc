// Renders tokens as elements from a closed list. Any other token is shown as its source text.
import { Fragment, type ReactNode } from 'react'
import { Trans, useLingui } from '@lingui/react/macro'
import { CodeBlock } from './CodeBlock'
import { ExternalLink } from './ExternalLink'
import { isClosedFence } from './fences'
import type { MathToken, Token, Tokens } from './lexer'
import { isOwnImage, withoutEntities } from './links'
import { MathView } from './MathView'

export function renderBlock(token: Token, key?: number): ReactNode {
  switch (token.type) {
    case 'heading':
      return <Heading key={key} token={token as Tokens.Heading} />
    case 'paragraph':
      return <p key={key}>{renderInline(token.tokens)}</p>
    case 'text':
      return <Fragment key={key}>{inlineText(token as Tokens.Text)}</Fragment>
    case 'code':
      return <CodeBlock key={key} text={(token as Tokens.Code).text} info={(token as Tokens.Code).lang} closed={isClosedFence(token.raw)} />
    case 'blockquote':
      return <blockquote key={key} dir="auto">{token.tokens?.map(renderBlock)}</blockquote>
    case 'list':
      return <List key={key} token={token as Tokens.List} />
    case 'table':
      return <Table key={key} token={token as Tokens.Table} />
    case 'hr':
      return <hr key={key} />
    case 'blockMath':
      return <MathView key={key} tex={(token as MathToken).text} closed={(token as MathToken).closed} display />
    case 'space':
    case 'def':
      return null
    default:
      return <Fragment key={key}>{token.raw}</Fragment>
  }
}

function renderInline(tokens: readonly Token[] | undefined): ReactNode {
  return tokens?.map((token, index) => <Fragment key={index}>{inline(token)}</Fragment>)
}

const inlineText = (token: Tokens.Text): ReactNode => (token.tokens ? renderInline(token.tokens) : withoutEntities(token.text))

function inline(token: Token): ReactNode {
  switch (token.type) {
    case 'text':
      return inlineText(token as Tokens.Text)
    case 'escape':
      return (token as Tokens.Escape).text
    case 'strong':
      return <strong>{renderInline(token.tokens)}</strong>
    case 'em':
      return <em>{renderInline(token.tokens)}</em>
    case 'del':
      return <del>{renderInline(token.tokens)}</del>
    case 'codespan':
      return <code>{withoutEntities((token as Tokens.Codespan).text)}</code>
    case 'br':
      return <br />
    case 'link':
      return <ExternalLink href={(token as Tokens.Link).href} className={CITATION.test((token as Tokens.Link).text) ? 'cite' : undefined}>{renderInline(token.tokens)}</ExternalLink>
    case 'image':
      return <Picture source={(token as Tokens.Image).href} alt={(token as Tokens.Image).text} />
    case 'inlineMath':
      return <MathView tex={(token as MathToken).text} closed />
    case 'checkbox':
      return null
    default:
      return token.raw
  }
}

/** The number of a source. */
const CITATION = /^\[?\d{1,3}\]?$/

function Picture({ source, alt }: { source: string; alt: string }) {
  const { t } = useLingui()
  if (isOwnImage(source)) return <img src={source} alt={alt} loading="lazy" />
  const name = alt || t`image`
  return (
    <ExternalLink href={source}>
      <Trans>{name} (external image)</Trans>
    </ExternalLink>
  )
}

/** The page's own heading is h1, so a document starts at h2. */
function Heading({ token }: { token: Tokens.Heading }) {
  const Tag = `h${Math.min(6, token.depth + 1)}` as 'h2'
  return <Tag>{renderInline(token.tokens)}</Tag>
}

function List({ token }: { token: Tokens.List }) {
  const items = token.items.map((item, index) => <ListItem key={index} item={item} />)
  return token.ordered ? <ol dir="auto" start={token.start === '' ? undefined : token.start}>{items}</ol> : <ul dir="auto">{items}</ul>
}

function ListItem({ item }: { item: Tokens.ListItem }) {
  const { t } = useLingui()
  const content = item.tokens.filter((token) => token.type !== 'checkbox').map(renderBlock)
  if (!item.task) return <li>{content}</li>
  return (
    <li className="task">
      <input type="checkbox" checked={item.checked ?? false} readOnly disabled aria-label={item.checked ? t`done` : t`open`} />
      {content}
    </li>
  )
}

function Table({ token }: { token: Tokens.Table }) {
  const { t } = useLingui()
  return (
    <div className="table-wrap" tabIndex={0} role="group" aria-label={t`Table`}>
      <table dir="auto">
        <thead>
          <tr>
            {token.header.map((cell, column) => (
              <th key={column} data-align={cell.align ?? undefined}>
                {renderInline(cell.tokens)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {token.rows.map((row, index) => (
            <tr key={index}>
              {row.map((cell, column) => (
                <td key={column} data-align={cell.align ?? undefined}>
                  {renderInline(cell.tokens)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
