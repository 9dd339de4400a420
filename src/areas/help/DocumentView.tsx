import { Link } from '@tanstack/react-router';
import { createElement, Fragment } from 'react';
import type { ReactNode } from 'react';
import type { Block, Inline } from './model/document.ts';
import './help.css';

interface DocumentViewProps {
  blocks: readonly Block[];
  /** Added to the level of each heading, so that they follow the heading above the document. */
  levelOffset?: number;
  /** Called when a link leads to another page. */
  onNavigate?: () => void;
}

/** A document as elements. Wide tables and code scroll inside of it. */
export function DocumentView({ blocks, levelOffset = 0, onNavigate }: DocumentViewProps) {
  return <div className="doc">{renderBlocks(blocks, levelOffset, onNavigate)}</div>;
}

const MAX_HEADING_LEVEL = 6;

function renderBlocks(
  blocks: readonly Block[],
  levelOffset: number,
  onNavigate: (() => void) | undefined,
): ReactNode {
  const inline = (parts: readonly Inline[]) => renderInline(parts, onNavigate);
  const renderBlock = (block: Block, key: number): ReactNode => {
    if (block.kind === 'heading')
      return createElement(
        `h${Math.min(block.level + levelOffset, MAX_HEADING_LEVEL)}`,
        { key, id: block.id },
        inline(block.parts),
      );
    if (block.kind === 'list')
      return createElement(
        block.isOrdered ? 'ol' : 'ul',
        { key },
        block.items.map((item, row) => <li key={row}>{renderItem(item, levelOffset, onNavigate)}</li>),
      );
    if (block.kind === 'code')
      return (
        // Focusable, so that the keyboard can scroll it.
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- see above
        <pre key={key} tabIndex={0}>
          <code>{block.text}</code>
        </pre>
      );
    if (block.kind === 'table')
      return (
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- the keyboard can scroll it
        <section key={key} className="doc-table" aria-label="Table" tabIndex={0}>
          <table>
            <thead>
              <tr>
                {block.header.map((cell, column) => (
                  <th key={column} scope="col">
                    {inline(cell)}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {block.rows.map((row, index) => (
                <tr key={index}>
                  {row.map((cell, column) => (
                    <td key={column}>{inline(cell)}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      );
    return <p key={key}>{inline(block.parts)}</p>;
  };
  return blocks.map((block, at) => renderBlock(block, at));
}

/** An item of one paragraph is a line; others hold blocks. */
function renderItem(
  blocks: readonly Block[],
  levelOffset: number,
  onNavigate: (() => void) | undefined,
): ReactNode {
  const [first, ...others] = blocks;
  if (first?.kind !== 'paragraph') return renderBlocks(blocks, levelOffset, onNavigate);
  return (
    <>
      {renderInline(first.parts, onNavigate)}
      {renderBlocks(others, levelOffset, onNavigate)}
    </>
  );
}

function renderInline(parts: readonly Inline[], onNavigate: (() => void) | undefined): ReactNode {
  const renderPart = (part: Inline, at: number): ReactNode => {
    if (part.kind === 'code') return <code key={at}>{part.text}</code>;
    if (part.kind === 'strong') return <strong key={at}>{renderInline(part.parts, onNavigate)}</strong>;
    if (part.kind === 'emphasis') return <em key={at}>{renderInline(part.parts, onNavigate)}</em>;
    if (part.kind === 'link')
      return (
        <DocumentLink key={at} href={part.href} onNavigate={onNavigate}>
          {renderInline(part.parts, onNavigate)}
        </DocumentLink>
      );
    return <Fragment key={at}>{part.text}</Fragment>;
  };
  return parts.map((part, at) => renderPart(part, at));
}

function DocumentLink({
  href,
  onNavigate,
  children,
}: {
  href: string;
  onNavigate: (() => void) | undefined;
  children: ReactNode;
}) {
  if (!href.startsWith('/')) return <a href={href}>{children}</a>;
  const [to, hash] = href.split('#');
  return (
    <Link to={to} {...(hash === undefined ? {} : { hash })} {...(onNavigate && { onClick: onNavigate })}>
      {children}
    </Link>
  );
}
