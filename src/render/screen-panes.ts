/** How many lines each part of the screen gets; 0: it is not drawn. Together they fill the screen exactly. */
export interface Panes {
  readonly title: number;
  /** The heads of the blocks' columns. */
  readonly blocksHeader: number;
  readonly blocks: number;
  /** The rule above the list, and the heads of its columns. */
  readonly listTitle: number;
  readonly listHeader: number;
  readonly list: number;
  readonly detailsTitle: number;
  readonly details: number;
  readonly footer: number;
}

/** Shares out the lines of a screen of any height among the parts; `blocks` is how many blocks there are. */
export function sharePanes(rows: number, blocks: number): Panes {
  let left = Math.max(0, Math.floor(rows));
  const take = (lines: number): number => {
    const taken = Math.min(left, Math.max(0, lines));
    left -= taken;
    return taken;
  };
  // In the order of what is missed most.
  const list = take(1);
  const footer = take(1);
  const title = take(rows >= FEW ? 1 : 0);
  const blocksHeader = take(rows >= SMALL ? 1 : 0);
  const shownBlocks = take(rows >= SMALL ? Math.min(Math.max(1, blocks), Math.max(2, Math.floor(rows / 6))) : 0);
  const listTitle = take(rows >= FEW ? 1 : 0);
  const listHeader = take(rows >= SMALL ? 1 : 0);
  const hasDetails = rows >= MEDIUM;
  const detailsTitle = take(hasDetails ? 1 : 0);
  const details = take(hasDetails ? Math.min(MOST_DETAILS, LEAST_DETAILS + Math.floor((rows - 24) / 5)) : 0);
  return {
    ...{ title, blocksHeader, blocks: shownBlocks, listTitle, listHeader },
    ...{ list: list + left, detailsTitle, details, footer },
  };
}

const FEW = 5;
const SMALL = 9;
const MEDIUM = 18;
const LEAST_DETAILS = 5;
const MOST_DETAILS = 10;
