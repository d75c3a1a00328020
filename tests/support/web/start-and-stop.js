/** A long run of a page is begun and stopped, wherever the machine is in between. */

/**
 * In the page: presses a button of a panel, and once more as soon as an element says something. By
 * then the button stops what it began. Resolves to its two
 * labels, before that and after.
 */
export const startAndStop = ({ panel, start, when: [selector, pattern] }) =>
  new Promise((done) => {
    const root = document.querySelector(panel);
    const button = [...root.querySelectorAll('button')].find((each) => each.textContent === start);
    const observer = new MutationObserver(() => {
      if (!new RegExp(pattern).test(root.querySelector(selector).textContent)) return;
      observer.disconnect();
      const label = button.textContent;
      button.click();
      done([label, button.textContent]);
    });
    observer.observe(root, { subtree: true, childList: true, characterData: true });
    button.click();
  });
