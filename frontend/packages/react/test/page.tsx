// The page of tests/e2e/embed/test_embed_react.py, as somebody writes it who uses the package: it renders often, with new functions and objects each time.
import { useRef, useState } from 'react'
import { createRoot } from 'react-dom/client'
import { ParleyChat, type ParleyChatHandle } from '../src/index'

const { origin, site } = document.body.dataset as { origin: string; site: string }

function Page() {
  const chat = useRef<ParleyChatHandle>(null)
  const [filter, setFilter] = useState('none')
  const [visitor, setVisitor] = useState('')
  const [seen, setSeen] = useState<readonly string[]>([])
  const see = (what: string) => setSeen((before) => [...before, what])
  return (
    <main>
      <h1>Green teas</h1>
      <button onClick={() => chat.current?.sendMessage('From a button')}>Ask</button>
      <button onClick={() => chat.current?.clear()}>Clear</button>
      <button onClick={() => chat.current?.setMessages([{ role: 'assistant', text: 'Welcome back, Kim.' }])}>Greet</button>
      <button onClick={() => setVisitor('kim')}>Sign in</button>
      <output>{filter}</output>
      <ol>{seen.map((what, index) => <li key={index}>{what}</li>)}</ol>
      <ParleyChat
        ref={chat}
        origin={origin}
        site={site}
        mode="inline"
        label="Ask us"
        heading={`Teas: ${filter}`}
        visitor={visitor}
        {...(visitor && { getToken: async () => (await fetch('/token')).text() })}
        pageState={{ filter: 'none' }}
        tools={{ add_to_basket: ({ tea }) => `${String(tea)} at ${filter}` }}
        onBeforeSend={(event) => (event.detail.text.includes('secret') ? event.preventDefault() : (event.detail.text = event.detail.text.replace('teh', 'the')))}
        onUserMessage={({ detail }) => see(`sent ${detail.text}`)}
        onMessageComplete={({ detail }) => see(`answered ${detail.text}`)}
        onPageState={({ detail }) => setFilter(String(detail.state.filter))}
        onTitleGenerated={({ detail }) => see(`titled ${detail.title}`)}
        onClear={() => see('cleared')}
      />
    </main>
  )
}

createRoot(document.getElementById('root')!).render(<Page />)
