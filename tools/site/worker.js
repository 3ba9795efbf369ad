/* Browsers start no worker for a page that was opened from disk, and the search of the site is one. This runs the
 * worker's script in a hidden frame instead, as the package iframe-worker does, which MkDocs would ask for elsewhere. */
if (location.protocol === "file:")
  window.Worker = class extends EventTarget {
    constructor(url) {
      super()
      const frame = document.createElement("iframe")
      frame.hidden = true
      document.body.appendChild(frame)
      const inside = frame.contentWindow
      const load = source => new Promise((resolve, reject) => {
        const script = frame.contentDocument.createElement("script")
        Object.assign(script, { src: source, onload: resolve, onerror: reject })
        frame.contentDocument.body.appendChild(script)
      })
      inside.postMessage = data => this.reply(data)
      inside.importScripts = (...sources) => Promise.all(sources.map(load))
      this.ready = load(new URL(url, document.baseURI).href)
      this.inside = inside
    }
    reply(data) {
      const event = new MessageEvent("message", { data })
      this.dispatchEvent(event)
      if (this.onmessage)
        this.onmessage(event)
    }
    postMessage(data) {
      this.ready.then(() => this.inside.dispatchEvent(new this.inside.MessageEvent("message", { data })))
    }
    terminate() {
    }
  }
