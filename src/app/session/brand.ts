import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { getSiteBrandOptions } from '../../api/generated/queries/settings.gen.ts';
import type { Brand } from '../../ui/layout/ProductMark.tsx';

/** Brand of the site that this browser showed last, for the sign-in page, which belongs to no site. */
const STORAGE_KEY = 'steward-brand';

/** Logo and color of the own site, and until they are read those shown last, so that the layout does not shift. */
export function useSiteBrand(): Brand | undefined {
  const [stored] = useState(readStoredBrand);
  const { data } = useQuery({ ...getSiteBrandOptions(), staleTime: Infinity });
  useEffect(() => {
    if (data) storeBrand(data);
  }, [data]);
  return data ?? stored;
}

function storeBrand(brand: Brand): void {
  try {
    if (brand.color === null && brand.logo === null) localStorage.removeItem(STORAGE_KEY);
    else localStorage.setItem(STORAGE_KEY, JSON.stringify(brand));
  } catch {
    // The storage is full: the sign-in page shows the mark of the product.
  }
}

/** The stored brand; undefined where there is none. */
export function readStoredBrand(): Brand | undefined {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(STORAGE_KEY) ?? 'null');
    return isBrand(stored) ? stored : undefined;
  } catch {
    return undefined;
  }
}

const isBrand = (value: unknown): value is Brand =>
  typeof value === 'object' && value !== null && 'color' in value && 'logo' in value;
