import {
  ArrowDown,
  ArrowUp,
  ChevronLeft,
  ChevronRight,
  Download,
  ListTree,
  Printer,
  RotateCcw,
  Search,
  X,
  ZoomIn,
  ZoomOut,
} from 'lucide-react';
import { useCallback, useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from 'react';
import type { FormEvent, KeyboardEvent, RefObject } from 'react';
import { formatNumber, pluralize } from '../../lib/numbers.ts';
import { formatPercent } from '../../lib/percentages.ts';
import { Button } from '../button/Button.tsx';
import { IconButton } from '../button/IconButton.tsx';
import { confirm } from '../dialog/confirm.ts';
import { Banner } from '../feedback/Banner.tsx';
import { Select } from '../form/select/Select.tsx';
import { announce } from '../layout/LiveRegion.tsx';
import { Spinner } from '../Spinner.tsx';
import { toast } from '../toast.ts';
import { findFirstMatch, MAX_MATCHES } from './find-text.ts';
import {
  computeZoomFactor,
  findAnchor,
  findAnchorTop,
  findPageAt,
  findPagesInView,
  layOutPages,
  rotateLeft,
  rotateSize,
  stepZoom,
  ZOOM_STEPS,
} from './page-layout.ts';
import type { Anchor, Rotation, Size, Zoom } from './page-layout.ts';
import type { InactiveContent, PdfDocument, PdfSource } from './pdf-document.ts';
import { formatLinkTarget } from './pdf-links.ts';
import type { OutlineItem, PdfLink } from './pdf-links.ts';
import { PdfPage } from './PdfPage.tsx';
import type { TextElements } from './PdfPage.tsx';
import { useFind, useHighlights } from './use-find.ts';
import { usePdf } from './use-pdf.ts';
import './pdf.css';

interface PdfViewerProps {
  source: PdfSource;
  /** Downloads the file. */
  onDownload: () => void;
}

/** Shows a PDF file: pages, zoom, search, outline, links. Forms and scripts of the file stay inactive. */
export function PdfViewer({ source, onDownload }: PdfViewerProps) {
  const state = usePdf(source);
  const host = useRef<HTMLDivElement>(null);
  const { phase } = state;
  // Focus that was in the password field returns to the viewer, so that keys still reach it.
  useEffect(() => {
    if (phase !== 'password' && document.activeElement === document.body) host.current?.focus();
  }, [phase]);
  if (state.phase === 'open') return <OpenDocument {...{ source, onDownload }} document={state.document} />;
  return (
    <div ref={host} className="pdf" tabIndex={-1}>
      <div className="pdf-message">
        {state.phase === 'opening' && (
          <output className="pdf-opening">
            <Spinner /> Opening {source.name}
          </output>
        )}
        {state.phase === 'password' && <PasswordForm {...state} name={source.name} />}
        {state.phase === 'failed' && (
          <Banner
            tone="bad"
            title={`${source.name} cannot be shown`}
            actions={
              <Button size="small" icon={Download} onClick={onDownload}>
                Download
              </Button>
            }
          >
            {state.reason} You can download the file and open it with another program.
          </Banner>
        )}
      </div>
    </div>
  );
}

interface PasswordFormProps {
  name: string;
  isWrong: boolean;
  submit: (password: string) => void;
}

function PasswordForm({ name, isWrong, submit }: PasswordFormProps) {
  const [password, setPassword] = useState('');
  const id = useId();
  return (
    <form
      className="pdf-password"
      onSubmit={(event: FormEvent) => {
        event.preventDefault();
        submit(password);
      }}
    >
      <label className="field-label" htmlFor={id}>
        Password of {name}
      </label>
      <input
        id={id}
        className="input"
        type="password"
        autoComplete="off"
        // oxlint-disable-next-line jsx-a11y/no-autofocus -- the viewer shows nothing else
        autoFocus
        value={password}
        aria-invalid={isWrong}
        aria-describedby={`${id}-note`}
        onChange={({ target }) => setPassword(target.value)}
      />
      <p
        id={`${id}-note`}
        className={isWrong ? 'field-error' : 'field-hint'}
        role={isWrong ? 'alert' : undefined}
      >
        {isWrong
          ? 'The password is not correct.'
          : 'The file is encrypted. The password stays in this browser and is not stored.'}
      </p>
      <Button type="submit" variant="primary">
        Open
      </Button>
    </form>
  );
}

/** Where pages scroll to: a page, and a part of its height. */
type GoTo = (page: number, fraction?: number) => void;

/** Sizes, zoom and scroll position of the pages. */
function usePages(pdf: PdfDocument) {
  const viewport = useRef<HTMLElement>(null);
  const [viewportSize, setViewportSize] = useState<Size>({ width: 800, height: 600 });
  const [zoom, setZoom] = useState<Zoom>('width');
  const [rotation, setRotation] = useState<Rotation>(0);
  const [sizes, setSizes] = useState<readonly Size[]>(() =>
    Array.from({ length: pdf.pageCount }, () => pdf.firstPageSize),
  );
  const [top, setTop] = useState(0);
  const anchor = useRef<Anchor>({ page: 0, fraction: 0 });

  const widest = useMemo(
    () => sizes.reduce((a, b) => (rotateSize(b, rotation).width > rotateSize(a, rotation).width ? b : a)),
    [sizes, rotation],
  );
  const factor = computeZoomFactor(zoom, rotateSize(widest, rotation), viewportSize);
  const layout = useMemo(() => layOutPages(sizes, factor, rotation), [sizes, factor, rotation]);

  useEffect(() => {
    const element = viewport.current;
    if (!element) return undefined;
    const observer = new ResizeObserver(() =>
      setViewportSize({ width: element.clientWidth, height: element.clientHeight }),
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  // The point at the top stays in place while sizes and zoom change.
  useLayoutEffect(() => {
    const element = viewport.current;
    if (element) element.scrollTop = findAnchorTop(layout, anchor.current);
  }, [layout]);

  const onScroll = () => {
    const element = viewport.current;
    if (!element) return;
    anchor.current = findAnchor(layout, element.scrollTop);
    setTop(element.scrollTop);
  };
  const onSize = useCallback(
    (index: number, size: Size) =>
      setSizes((all) => {
        const known = all[index];
        return known?.width === size.width && known.height === size.height ? all : all.with(index, size);
      }),
    [],
  );
  const goTo: GoTo = useCallback(
    (page, fraction = 0) => {
      anchor.current = { page, fraction: fraction === 0 ? -0.01 : fraction };
      if (viewport.current) viewport.current.scrollTop = findAnchorTop(layout, anchor.current);
    },
    [layout],
  );
  // The page that covers the middle of the window.
  const current = findPageAt(layout, top + viewportSize.height / 2);
  return {
    viewport,
    viewportSize,
    zoom,
    setZoom,
    factor,
    rotation,
    setRotation,
    layout,
    top,
    onScroll,
    onSize,
    goTo,
    current,
  };
}

function OpenDocument({ source, document: pdf, onDownload }: PdfViewerProps & { document: PdfDocument }) {
  const pages = usePages(pdf);
  const { layout, goTo, current, factor } = pages;
  const [isFinding, setIsFinding] = useState(false);
  const [query, setQuery] = useState('');
  const [hasOutlineOpen, setHasOutlineOpen] = useState(false);
  const [layers, setLayers] = useState<ReadonlyMap<number, TextElements>>(new Map());
  // What belongs to the whole file is read after the first page is shown.
  const [hasSettled, setHasSettled] = useState(false);
  const onSettled = useCallback(() => setHasSettled(true), []);
  useEffect(() => {
    if (hasSettled) pdf.checkLastPage();
  }, [pdf, hasSettled]);
  const outline = useLoaded(hasSettled ? pdf.getOutline : undefined);
  const inactive = useLoaded(hasSettled ? pdf.getInactiveContent : undefined);
  const findInput = useRef<HTMLInputElement>(null);
  const { viewport } = pages;
  useEffect(() => viewport.current?.focus(), [viewport]);

  const onText = useCallback((index: number, elements: TextElements | undefined) => {
    setLayers((all) => {
      const next = new Map(all);
      if (elements) next.set(index, elements);
      else next.delete(index);
      return next;
    });
  }, []);

  const showPage = (page: number, fraction = 0) => {
    const shown = Math.min(Math.max(page, 0), pdf.pageCount - 1);
    goTo(shown, fraction);
    announce(`Page ${shown + 1} of ${pdf.pageCount}`);
  };
  const openLink = async (link: PdfLink) => {
    if (link.kind === 'external') {
      await openExternal(link.url);
      return;
    }
    const target = await pdf.resolve(link.destination).catch(() => undefined);
    if (target) showPage(target.page, target.fraction);
    else toast({ title: 'The link leads to a page that does not exist', tone: 'bad' });
  };
  const print = () => {
    onDownload();
    toast({
      title: 'Print the downloaded file',
      description: 'The preview holds only the pages in view.',
    });
  };
  const openFind = () => {
    setIsFinding(true);
    findInput.current?.select();
  };
  const zoomTo = (zoom: Zoom) => pages.setZoom(zoom);

  const actions: Record<string, () => void> = {
    ArrowRight: () => showPage(current + 1),
    ArrowLeft: () => showPage(current - 1),
    '+': () => zoomTo(stepZoom(factor, 1)),
    '=': () => zoomTo(stepZoom(factor, 1)),
    '-': () => zoomTo(stepZoom(factor, -1)),
    '0': () => zoomTo('width'),
    r: () => pages.setRotation(rotateLeft(pages.rotation)),
    '/': openFind,
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const key = event.key.toLowerCase();
    const isModified = event.ctrlKey || event.metaKey;
    const isTyping =
      event.target instanceof Element && event.target.matches('input, [aria-haspopup=listbox]');
    const action = isModified
      ? { f: openFind, p: print }[key]
      : isTyping || event.altKey
        ? undefined
        : (actions[event.key] ?? actions[key]);
    if (!action) return;
    event.preventDefault();
    action();
  };

  const [first, last] = findPagesInView(layout, pages.top, pages.viewportSize.height);
  return (
    // Keys of the viewer; its buttons do the same.
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions
    <div className="pdf" onKeyDown={onKeyDown}>
      <div className="pdf-bar" role="toolbar" aria-label="Document">
        <div className="pdf-tools">
          <IconButton
            label={hasOutlineOpen ? 'Hide outline' : 'Show outline'}
            icon={ListTree}
            aria-expanded={hasOutlineOpen}
            disabledReason={outline?.length === 0 ? 'The file has no outline' : undefined}
            onClick={() => setHasOutlineOpen(!hasOutlineOpen)}
          />
          <PageField {...{ current }} count={pdf.pageCount} onGoTo={showPage} />
        </div>
        <div className="pdf-tools">
          <IconButton label="Zoom out" icon={ZoomOut} onClick={() => zoomTo(stepZoom(factor, -1))} />
          <ZoomSelect zoom={pages.zoom} factor={factor} onZoom={zoomTo} />
          <IconButton label="Zoom in" icon={ZoomIn} onClick={() => zoomTo(stepZoom(factor, 1))} />
          <IconButton
            label="Rotate counterclockwise"
            icon={RotateCcw}
            onClick={() => pages.setRotation(rotateLeft(pages.rotation))}
          />
        </div>
        <div className="pdf-tools">
          <IconButton label="Find in the file" icon={Search} aria-expanded={isFinding} onClick={openFind} />
          <IconButton label="Download to print" icon={Printer} onClick={print} />
          <IconButton label={`Download ${source.name}`} icon={Download} onClick={onDownload} />
        </div>
      </div>
      {isFinding && (
        <FindBar
          {...{ document: pdf, query, setQuery, layers, current, goTo }}
          inputRef={findInput}
          onClose={() => {
            setIsFinding(false);
            setQuery('');
            viewport.current?.focus();
          }}
        />
      )}
      {inactive && <InactiveNotice content={inactive} />}
      <div className="pdf-body">
        {hasOutlineOpen && outline && (
          <nav className="pdf-outline" aria-label="Outline">
            <Outline items={outline} onOpen={(link) => void openLink(link)} />
          </nav>
        )}
        <section
          ref={viewport}
          className="pdf-viewport"
          aria-label={`Pages of ${source.name}`}
          // The keyboard scrolls it.
          // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
          tabIndex={0}
          onScroll={pages.onScroll}
        >
          <div className="pdf-pages" style={{ height: layout.height, minWidth: layout.width }}>
            {Array.from({ length: last - first + 1 }, (_, at) => first + at).map((index) => {
              const size = layout.sizes[index];
              return (
                size && (
                  <PdfPage
                    key={index}
                    {...{ document: pdf, index, size, factor, rotation: pages.rotation }}
                    {...{ onText, onSettled }}
                    top={layout.tops[index] ?? 0}
                    onSize={pages.onSize}
                    onLink={(link) => void openLink(link)}
                  />
                )
              );
            })}
          </div>
        </section>
      </div>
    </div>
  );
}

/** The result of a read; undefined until it is there. A failure closes the file and is shown there. */
function useLoaded<Result>(load: (() => Promise<Result>) | undefined): Result | undefined {
  const [result, setResult] = useState<Result>();
  useEffect(() => {
    if (!load) return undefined;
    let isCurrent = true;
    load().then(
      (loaded) => isCurrent && setResult(loaded),
      () => undefined,
    );
    return () => {
      isCurrent = false;
    };
  }, [load]);
  return result;
}

/** Opens an address of the file in a new tab after a question that shows it. */
async function openExternal(url: string): Promise<void> {
  const isAgreed = await confirm({
    title: `Open ${formatLinkTarget(url)}?`,
    body: (
      <>
        The address comes from the file: <bdi className="pdf-address">{url}</bdi>
      </>
    ),
    action: 'Open in a new tab',
  });
  if (isAgreed) window.open(url, '_blank', 'noopener,noreferrer');
}

interface PageFieldProps {
  current: number;
  count: number;
  onGoTo: GoTo;
}

function PageField({ current, count, onGoTo }: PageFieldProps) {
  // Text being typed; otherwise the page in view is shown.
  const [typed, setTyped] = useState<string>();
  const go = () => {
    const page = Number(typed);
    setTyped(undefined);
    if (typed !== undefined && Number.isInteger(page) && page > 0) onGoTo(page - 1);
  };
  return (
    <>
      <IconButton
        label="Previous page"
        icon={ChevronLeft}
        disabledReason={current === 0 ? 'This is the first page' : undefined}
        onClick={() => onGoTo(current - 1)}
      />
      <IconButton
        label="Next page"
        icon={ChevronRight}
        disabledReason={current === count - 1 ? 'This is the last page' : undefined}
        onClick={() => onGoTo(current + 1)}
      />
      <input
        className="input pdf-page-field num"
        aria-label="Page"
        inputMode="numeric"
        autoComplete="off"
        value={typed ?? String(current + 1)}
        onChange={({ target }) => setTyped(target.value)}
        onBlur={go}
        onKeyDown={({ key }) => key === 'Enter' && go()}
      />
      <span className="pdf-count num">of {formatNumber(count)}</span>
    </>
  );
}

interface ZoomSelectProps {
  zoom: Zoom;
  factor: number;
  onZoom: (zoom: Zoom) => void;
}

function ZoomSelect({ zoom, factor, onZoom }: ZoomSelectProps) {
  const steps = typeof zoom === 'number' && !ZOOM_STEPS.includes(zoom) ? [zoom, ...ZOOM_STEPS] : ZOOM_STEPS;
  return (
    <Select
      className="pdf-zoom"
      label="Zoom"
      value={zoom}
      onChange={(value) => onZoom(value)}
      options={[
        { value: 'width', label: `Fit width (${formatPercent(factor)})` },
        { value: 'page', label: 'Fit page' },
        ...steps.map((step) => ({ value: step, label: formatPercent(step) })),
      ]}
    />
  );
}

interface FindBarProps {
  document: PdfDocument;
  query: string;
  setQuery: (query: string) => void;
  layers: ReadonlyMap<number, TextElements>;
  /** Index of the page in view. */
  current: number;
  goTo: GoTo;
  inputRef: RefObject<HTMLInputElement | null>;
  onClose: () => void;
}

function FindBar({ document: pdf, query, setQuery, layers, current, goTo, inputRef, onClose }: FindBarProps) {
  const { matches, searched, getText } = useFind(pdf, query);
  const [selected, setSelected] = useState<{ query: string; index: number }>();
  // The first match follows the page where the search began.
  const start = useRef(current);
  const index =
    selected?.query === query
      ? selected.index % Math.max(matches.length, 1)
      : findFirstMatch(matches, start.current);
  const match = matches[index];
  const matchPage = match?.page;
  useHighlights({ matches, current: match, getText, layers });
  useEffect(() => {
    if (matchPage !== undefined) goTo(matchPage);
    // Only a new match moves the pages, not a new layout.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [matchPage]);
  useEffect(() => inputRef.current?.focus(), [inputRef]);

  const step = (direction: 1 | -1) => {
    if (matches.length > 0)
      setSelected({ query, index: (index + direction + matches.length) % matches.length });
  };
  const isDone = searched === pdf.pageCount;
  const count = `${formatNumber(matches.length)}${matches.length === MAX_MATCHES ? '+' : ''}`;
  const status =
    query.trim() === ''
      ? ''
      : matches.length > 0
        ? `${formatNumber(index + 1)} of ${count}`
        : isDone
          ? 'No matches'
          : `Searched ${formatNumber(searched)} of ${pluralize(pdf.pageCount, 'page', 'pages')}`;
  return (
    <search className="pdf-find">
      <input
        ref={inputRef}
        className="input"
        type="search"
        aria-label="Find in the file"
        autoComplete="off"
        spellCheck={false}
        value={query}
        onChange={({ target }) => {
          start.current = current;
          setQuery(target.value);
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter') step(event.shiftKey ? -1 : 1);
          if (event.key !== 'Escape') return;
          // The dialog around the viewer stays open.
          event.preventDefault();
          event.stopPropagation();
          onClose();
        }}
      />
      <output className="num" aria-live="polite">
        {status}
      </output>
      <IconButton label="Previous match" icon={ArrowUp} size="small" onClick={() => step(-1)} />
      <IconButton label="Next match" icon={ArrowDown} size="small" onClick={() => step(1)} />
      <IconButton label="Close search" icon={X} size="small" onClick={onClose} />
    </search>
  );
}

/** Says what the file contains that the preview does not carry out. */
function InactiveNotice({ content }: { content: InactiveContent }) {
  const { hasForm, isXfa, hasScripts, attachments } = content;
  const notes: string[] = [];
  if (isXfa) notes.push('The form in this file (XFA) is not shown; download the file to open it.');
  else if (hasForm) notes.push('Form fields are shown as stored and cannot be filled in here.');
  if (hasScripts) notes.push('Scripts of this file are not run.');
  if (attachments > 0)
    notes.push(`${pluralize(attachments, 'attached file is', 'attached files are')} not shown.`);
  return notes.length === 0 ? null : <Banner>{notes.join(' ')}</Banner>;
}

interface OutlineProps {
  items: readonly OutlineItem[];
  onOpen: (link: PdfLink) => void;
}

function Outline({ items, onOpen }: OutlineProps) {
  return (
    <ul>
      {items.map(({ title, link, items: below }, at) => (
        // Items of an outline have no ids and never change.
        // oxlint-disable-next-line react/no-array-index-key
        <li key={at}>
          {link ? (
            <button type="button" onClick={() => onOpen(link)}>
              {title === '' ? 'Untitled' : title}
            </button>
          ) : (
            <span>{title}</span>
          )}
          {below.length > 0 && <Outline items={below} onOpen={onOpen} />}
        </li>
      ))}
    </ul>
  );
}
