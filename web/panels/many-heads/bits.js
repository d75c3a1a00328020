/** The checksum of the numbers on show, beside the one that came with a link. */
import { html, setText } from '../../plot/dom.js';
import { paragraph } from '../../page/layout.js';

export class Bits {
  constructor() {
    this.own = html('span', { 'data-depth': 'doubt' });
    this.said = html('span');
    this.element = paragraph('figure-note bits', this.own, this.said);
  }

  /** @param {string} here of the numbers on show @param {string} there of the link, or '' */
  show(here, there) {
    setText(this.own, `Checksum of all weights and sums: ${here}. “Copy link” adds it. `);
    const same = here === there;
    this.said.dataset.state = there && (same ? 'same' : 'other');
    if (!there) return setText(this.said, '');
    const found = same
      ? '✓ The numbers here are the same, to the last bit.'
      : `✗ The numbers here are others: their checksum is ${here}.`;
    setText(this.said, `The link came with the checksum ${there} of its numbers. ${found}`);
  }
}
