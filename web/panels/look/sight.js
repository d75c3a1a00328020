/** It does not write where nobody sees it, and comes back after another panel had the model. */
import { onSight } from '../../page/layout.js';

export class Sight {
  /**
   * @param {import('./writing/writer.js').Writer} writer
   * @param {import('../../page/model.js').SharedModel} model
   */
  constructor(writer, model) {
    this.writer = writer;
    this.model = model;
    this.visible = false;
    /** Whether it goes on writing when it is seen again. */
    this.waiting = false;
  }

  /** @param {Element} root */
  follow(root) {
    onSight(root, (visible) => {
      const { writer } = this;
      this.visible = visible;
      if (visible ? this.waiting : writer.playing) {
        this.waiting = !visible;
        writer.play(visible);
      } else if (visible && writer.phase === 'idle') writer.go();
    });
  }

  /** Out of sight it writes only when it is seen again. @param {boolean} playing */
  play(playing) {
    this.waiting = playing && !this.visible;
    this.writer.play(playing && this.visible);
  }

  /** The panel that took the model may be out of sight before its work is done. */
  async comeBack() {
    const { writer, model } = this;
    await model.quiet();
    if (this.visible && writer.phase === 'idle' && !writer.error) writer.go();
  }
}
