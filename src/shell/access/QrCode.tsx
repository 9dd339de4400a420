import { use } from 'react';

// The page's policy lets no text become markup: the code is drawn from its cells.
const drawn = new Map<string, Promise<{ size: number; path: string }>>();

async function draw(text: string): Promise<{ size: number; path: string }> {
  const { encode } = await import('uqr');
  const { size, data } = encode(text, { border: 2 });
  const path = data.flatMap((row, y) => row.map((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : ''))).join('');
  return { size, path };
}

function drawingOf(text: string) {
  const known = drawn.get(text) ?? draw(text);
  // One at a time: what was shown before is a secret that nobody needs again.
  drawn.clear();
  drawn.set(text, known);
  return known;
}

/** A QR code, dark on light in every theme: cameras need it so. The secret stands beside it as text for everybody else. */
export function QrCode({ text }: { text: string }) {
  const { size, path } = use(drawingOf(text));
  return (
    <svg className="qr" viewBox={`0 0 ${size} ${size}`} aria-hidden shapeRendering="crispEdges">
      <path className="qr-dark" d={path} />
    </svg>
  );
}
