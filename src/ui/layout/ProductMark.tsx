import { Layers } from 'lucide-react';
import './product-mark.css';

/** How a site looks: its logo in place of that of the product, and its color. */
export interface Brand {
  /** "#rrggbb", dark enough for white on it; null for the color of the console. */
  color: string | null;
  /** `data` is the picture in Base64. */
  logo: { type: string; width: number; height: number; data: string } | null;
}

/** Product name, with the logo of the product or of the site. */
export function ProductMark({ brand }: { brand?: Brand | undefined }) {
  const logo = brand?.logo;
  return (
    <span className="mark">
      {logo ? (
        <img
          className="mark-logo"
          src={`data:${logo.type};base64,${logo.data}`}
          width={logo.width}
          height={logo.height}
          alt=""
        />
      ) : (
        <span
          className="mark-sign"
          style={brand?.color ? { background: brand.color, color: '#fff' } : undefined}
        >
          <Layers />
        </span>
      )}
      Steward
    </span>
  );
}
